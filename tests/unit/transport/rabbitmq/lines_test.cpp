// What the log says of a service on RabbitMQ.
#include <waybill/rabbitmq.hpp>
#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mq_lines_test {

using namespace std::chrono_literals;
namespace rabbitmq = waybill::rabbitmq;

constexpr const char* url = "amqp://mq-lines-test.invalid";

struct service {
    using declares = std::function<void(waybill::subscription&)>;

    service(const rabbitmq::queue& from, rabbitmq::server_version version, waybill::outcome answer,
            const declares& more)
        : server{url, {.version = version}}, tb{make(from, answer, more)} {}

    /// Is there a line with all of these?
    [[nodiscard]] bool says(const std::vector<std::string_view>& parts) const {
        return std::ranges::any_of(lines, [&](const auto& line) {
            return std::ranges::all_of(
                parts, [&](auto part) { return line.find(part) != std::string::npos; });
        });
    }

    std::vector<std::string> lines;
    std::function<void()> when_written;
    rabbitmq::fake_server server;
    waybill::test_app tb;

private:
    waybill::app make(const rabbitmq::queue& from, waybill::outcome answer, const declares& more) {
        waybill::app app{"lines", "1"};
        app.log_to([this](std::string_view line) {
            lines.emplace_back(line);
            if (when_written) when_written();
        });
        auto& made =
            app.broker(rabbitmq::broker{url}).subscribe(from, [answer](std::span<const std::byte>) {
                return answer;
            });
        if (more) more(made);
        return app;
    }
};

rabbitmq::queue classic() { return rabbitmq::queue{"orders"}; }
rabbitmq::queue quorum() { return rabbitmq::queue{"orders"}.quorum(); }

TEST_CASE("a start warns where nothing counts without a cap, and only there") {
    using enum rabbitmq::server_version;
    const auto warned = [](const rabbitmq::queue& from, auto version,
                           const service::declares& more = {}) {
        const service one{from, version, waybill::ack(), more};
        return one.says({"warning", "no_cap"});
    };
    CHECK(warned(classic(), v4_3));
    CHECK(warned(quorum(), v3_10));
    CHECK_FALSE(warned(quorum(), v4_3));
    CHECK_FALSE(warned(classic(), v4_3, [](auto& each) { each.max_attempts(3); }));
    CHECK_FALSE(warned(classic(), v4_3,
                       [](auto& each) { each.retry_backoff(waybill::backoff::fixed(1s)); }));
}

TEST_CASE("what ends is named by its id, and what is spent and gone is a warning") {
    const auto says = [](waybill::outcome answer, const service::declares& more,
                         const std::vector<std::string_view>& parts) {
        service one{classic(), rabbitmq::server_version::v4_3, answer, more};
        one.server.publish("orders", "a", {{":message_id", "order-7"}});
        one.tb.rest();
        return one.says(parts);
    };
    CHECK(says(waybill::retry(), [](auto& each) { each.max_attempts(1); },
               {"warning", "dropped", "reason=attempts", "id=order-7"}));
    CHECK(says(waybill::drop(), {}, {"info", "dropped", "reason=outcome", "id=order-7"}));
    CHECK(says(waybill::retry(),
               [](auto& each) { each.max_attempts(1).dead_letter("orders.dead"); },
               {"warning", "dead_lettered", "to=orders.dead", "id=order-7"}));
}

TEST_CASE("who writes the lines may ask for health") {
    service one{classic(), rabbitmq::server_version::v4_3, waybill::ack(), {}};
    std::vector<waybill::health_state> states;
    one.when_written = [&] { states.push_back(one.tb.health().state); };
    one.server.delete_queue("orders");
    one.tb.rest();
    one.when_written = nullptr;
    CHECK(one.says({"reading_ended", "queue orders"}));
    CHECK(one.says({"reading_again", "queue orders"}));
    CHECK(std::ranges::find(states, waybill::health_state::degraded) != states.end());
}

TEST_CASE("a connection that failed is named, and so is its coming back") {
    service one{classic(), rabbitmq::server_version::v4_3, waybill::ack(),
                [](auto& each) { each.max_attempts(1); }};
    CHECK_FALSE(one.says({"connected"}));
    one.tb.advance(1min);
    one.server.refuse_connections(true);
    one.server.drop_connections();
    one.tb.rest();
    one.server.refuse_connections(false);
    one.tb.advance(1min);
    CHECK(one.says({"warning", "connection_failed", "again in"}));
    CHECK(one.says({"info", "connected", "again, after"}));
}

}  // namespace mq_lines_test
