/// A small service for tests: one subscription "charge" on the queue "orders" of a RabbitMQ server
/// in memory, with the dead letter "orders.dead".
#pragma once

#include <waybill/rabbitmq.hpp>
#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// A version, and the type of every queue.
struct rabbitmq_kind {
    waybill::rabbitmq::server_version version;
    waybill::rabbitmq::queue_type type;
    const char* name;
};

inline constexpr rabbitmq_kind rabbitmq_kinds[] = {
    {waybill::rabbitmq::server_version::v3_10, waybill::rabbitmq::queue_type::classic,
     "classic, 3.10"},
    {waybill::rabbitmq::server_version::v3_10, waybill::rabbitmq::queue_type::quorum,
     "quorum, 3.10"},
    {waybill::rabbitmq::server_version::v4_0, waybill::rabbitmq::queue_type::classic,
     "classic, 4.0"},
    {waybill::rabbitmq::server_version::v4_0, waybill::rabbitmq::queue_type::quorum, "quorum, 4.0"},
    {waybill::rabbitmq::server_version::v4_3, waybill::rabbitmq::queue_type::classic,
     "classic, 4.3"},
    {waybill::rabbitmq::server_version::v4_3, waybill::rabbitmq::queue_type::quorum, "quorum, 4.3"},
};

class rabbitmq_shop {
public:
    using answers = std::function<waybill::outcome(waybill::context&)>;
    using changes = std::function<void(waybill::rabbitmq::queue&, waybill::rabbitmq::broker&)>;

    rabbitmq_shop(const rabbitmq_kind& kind, answers answer, std::int64_t cap,
                  const changes& change = {}, std::string query = {})
        : server{url, {.version = kind.version}},
          tb{make(kind, std::move(answer), cap, change, std::move(query))} {}

    /// What became of the messages that died.
    [[nodiscard]] std::vector<waybill::rabbitmq::stored_message> dead() const {
        return server.messages("orders.dead");
    }
    /// How many methods of that name and beginning were spoken.
    [[nodiscard]] std::size_t spoken(std::string_view line) const {
        std::size_t count = 0;
        for (const auto& each : server.trace()) count += each.starts_with(line) ? 1 : 0;
        return count;
    }
    void check_at_rest() const {
        CHECK(server.queued("orders") == 0);
        CHECK(server.unsettled() == 0);
        CHECK(server.waiting() == 0);
    }

    static constexpr const char* url = "amqp://rabbitmq-shop.invalid";
    waybill::rabbitmq::fake_server server;
    waybill::test_app tb;

private:
    static waybill::app make(const rabbitmq_kind& kind, answers answer, std::int64_t cap,
                             const changes& change, std::string query) {
        waybill::rabbitmq::broker config{url + std::move(query)};
        waybill::rabbitmq::queue orders{"orders"};
        orders.type(kind.type);
        if (change) change(orders, config);
        waybill::app app{"shop", "1"};
        app.log_level(waybill::log_level::off);
        app.broker(std::move(config))
            .subscribe(orders, [answer = std::move(answer)](
                                   std::span<const std::byte>,
                                   waybill::context& with) { return answer(with); })
            .name("charge")
            .max_attempts(cap)
            .dead_letter("orders.dead");
        return app;
    }
};

}  // namespace support
