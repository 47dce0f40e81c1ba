/// A RabbitMQ server in memory as a path for the stories of every_step.hpp.
#pragma once

#include "check_every_step.hpp"
#include "transport/rabbitmq/profile.hpp"
#include <waybill/rabbitmq.hpp>
#include <waybill/rabbitmq_testing.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>

namespace support {

/// What is tried, and what happens to it.
struct rabbitmq_setting {
    waybill::rabbitmq::server_version version = waybill::rabbitmq::server_version::v4_0;
    waybill::rabbitmq::queue_type type = waybill::rabbitmq::queue_type::classic;
    bool dies_to_exchange = false;  ///< the dead letter is an exchange with a key
    bool restarts = false;          ///< connections fall because the server restarts
};

inline waybill::rabbitmq::version_number number_of(waybill::rabbitmq::server_version version) {
    constexpr std::array known{waybill::rabbitmq::version_number{3, 10},
                               waybill::rabbitmq::version_number{4, 0},
                               waybill::rabbitmq::version_number{4, 3}};
    return known.at(static_cast<std::size_t>(version));
}

inline tried_path rabbitmq_path(std::string name, const rabbitmq_setting& how) {
    namespace rabbitmq = waybill::rabbitmq;
    const auto queue = [how](std::string called) {
        rabbitmq::queue made{std::move(called)};
        made.type(how.type);
        if (how.dies_to_exchange && made.said().spec.name == "orders.dead") {
            made.bind("dead", "of.#");
        }
        return made;
    };
    tried_path path;
    path.name = std::move(name);
    path.queue = queue;
    if (how.dies_to_exchange) path.dead_letter = rabbitmq::exchange_key("dead", "of.orders");
    path.start = [how, queue] {
        constexpr const char* url = "amqp://every-step.invalid";
        rabbitmq::server_options options;
        options.version = how.version;
        const rabbitmq::fake_server at{url, options};
        rabbitmq::broker config{url};
        if (how.dies_to_exchange) config.declare(rabbitmq::exchange::topic("dead"));
        for (const auto* each : {"orders", "orders.dead", "notes"}) config.declare(queue(each));
        tried_server made;
        made.broker = std::make_shared<rabbitmq::broker>(std::move(config));
        made.drop_connections = [at, how] { how.restarts ? at.restart() : at.drop_connections(); };
        made.admit = [at](bool lets_in) { at.refuse_connections(!lets_in); };
        made.can = rabbitmq::capabilities_for(queue("orders").said(), rabbitmq::waits::in_queues,
                                              number_of(how.version));
        made.has_window = true;
        made.has_addresses = true;
        return made;
    };
    return path;
}

}  // namespace support
