// That service's test, on a server in memory.
#include "letters.hpp"
#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>

#include <chrono>
#include <iostream>

int main() {
    using namespace std::chrono_literals;
    const waybill::rabbitmq::fake_server server{"amqp://rabbit.invalid/post"};
    waybill::test_app tb{letters()};
    tb.publish("letters", letter{.id = 1, .is_legible = false});
    const bool waits = server.waiting() == 1;
    tb.advance(60s);
    std::cout << tb.history();
    return waits && server.queued("letters.dead") == 1 ? 0 : 1;
}
