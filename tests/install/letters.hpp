/// A little service of somebody else's that reads from RabbitMQ.
#pragma once

#include <waybill/rabbitmq.hpp>
#include <waybill/waybill.hpp>

#include <chrono>

struct letter {
    unsigned id = 0;
    bool is_legible = true;
};

inline waybill::outcome sort(const letter& one) {
    return one.is_legible ? waybill::ack() : waybill::retry_after(std::chrono::seconds{30});
}

inline waybill::app letters() {
    waybill::app app{"letters", "1.0"};
    app.broker(waybill::rabbitmq::broker{"amqp://rabbit.invalid/post"})
        .subscribe(waybill::rabbitmq::queue("letters").quorum(), sort)
        .max_attempts(3)
        .dead_letter("letters.dead");
    return app;
}
