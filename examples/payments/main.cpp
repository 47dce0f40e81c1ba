#include "scripted_gateway.hpp"
#include "service.hpp"
#include <waybill/waybill.hpp>

int main(int argc, char** argv) {
    return waybill::run_main(
        [] { return payments::make_app(std::make_shared<payments::scripted_gateway>()); }, argc,
        argv);
}
