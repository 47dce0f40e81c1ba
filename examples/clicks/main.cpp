#include "counting_store.hpp"
#include "service.hpp"
#include <waybill/waybill.hpp>

#include <cstdlib>

int main(int argc, char** argv) {
    const char* const url = std::getenv("CLICKS_BROKER");
    return waybill::run_main(
        [&] {
            return clicks::make_app(url != nullptr ? url : "amqp://localhost",
                                    std::make_shared<clicks::counting_store>());
        },
        argc, argv);
}
