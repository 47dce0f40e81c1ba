// Retries over the retry and failed exchanges that a team has already.
#include <waybill/rabbitmq.hpp>
#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace mq_legacy_test {

using namespace std::chrono_literals;
namespace rabbitmq = waybill::rabbitmq;
using rabbitmq::exchange;
using rabbitmq::exchange_key;
using rabbitmq::queue;

constexpr const char* url = "amqp://legacy-test.invalid";

/// What the team has: a queue whose messages come back after 30 s, and one for what failed.
rabbitmq::broker with_teams_queues() {
    rabbitmq::broker config{url};
    config.declare(exchange::direct("retry")).declare(exchange::direct("failed"));
    config.declare(
        queue{"jobs@retry"}.message_ttl(30s).server_dead_letter("", "jobs").bind("retry", "key"));
    config.declare(queue{"jobs@failed"}.bind("failed", "key"));
    return config;
}

queue jobs() {
    return queue{"jobs"}.legacy_retry_queues(exchange_key("retry", "key"),
                                             exchange_key("failed", "key"));
}

struct service {
    explicit service(waybill::outcome answer) : tb{make(answer)} {
        server.publish("jobs", "one");
        tb.rest();
    }
    [[nodiscard]] std::vector<std::string> warnings() const {
        std::vector<std::string> all;
        for (const auto& each : lines) {
            if (each.find("refused_outcome") != each.npos) all.push_back(each);
        }
        return all;
    }

    std::vector<std::string> lines;
    rabbitmq::fake_server server{url};
    waybill::test_app tb;

private:
    waybill::app make(waybill::outcome answer) {
        waybill::app app{"jobs", "1"};
        app.log_to([this](std::string_view line) { lines.emplace_back(line); });
        app.broker(with_teams_queues())
            .subscribe(jobs(), [answer](std::span<const std::byte>) { return answer; })
            .name("work")
            .max_attempts(3);
        return app;
    }
};

TEST_CASE(
    "every retry waits in the team's queue, and what is spent is in the team's failed queue") {
    service one{waybill::retry()};
    CHECK(one.server.queued("jobs@retry") == 1);
    one.tb.advance(29999ms);
    CHECK(one.tb.calls("work") == 1);
    one.tb.advance(1ms);
    CHECK(one.tb.calls("work") == 2);
    one.tb.advance(30s);
    CHECK(one.tb.calls("work") == 3);
    CHECK(one.tb.calls("work")[2].with.contains("x-death"));
    const auto failed = one.server.messages("jobs@failed");
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].exchange == "failed");
    CHECK(failed[0].with.text("waybill-retry-count") == "3");
    CHECK(failed[0].with.contains("x-death"));
    CHECK(one.server.queued("jobs") + one.server.queued("jobs@retry") == 0);
    CHECK(one.warnings().empty());
}

TEST_CASE(
    "a wait that the team's queue does not have is waited as long as that says, with a warning") {
    service one{waybill::retry_after(5s)};
    one.tb.advance(29s);
    CHECK(one.tb.calls("work") == 1);
    REQUIRE(one.warnings().size() == 1);
    for (const auto* part :
         {"work", "retry_after 5s", "it waits as long as /exchanges/retry/key says",
          "answer retry(), or leave the team's own retry queue out"}) {
        CHECK_MESSAGE(one.warnings()[0].find(part) != std::string::npos, one.warnings()[0]);
    }
    one.tb.advance(1h);
    CHECK(one.tb.calls("work") == 3);
    // The last ends in the failed queue, and asks for nothing that it does not get.
    CHECK(one.warnings().size() == 2);
    CHECK(one.server.queued("jobs@failed") == 1);
}

std::string problems_of(waybill::app& app) {
    std::string all;
    for (const auto& each : app.check()) all += each.message() + '\n';
    return all;
}

TEST_CASE("a back-off over the team's queue is refused by check, which says why") {
    const rabbitmq::fake_server server{url};
    waybill::app app{"jobs", "1"};
    app.broker(with_teams_queues())
        .subscribe(jobs(), [](std::span<const std::byte>) { return waybill::retry(); })
        .max_attempts(3)
        .retry_backoff(waybill::backoff::fixed(10s));
    const auto why = problems_of(app);
    CHECK(why.find("retry_backoff(...) is declared, and what goes to /exchanges/retry/key waits as "
                   "long as that says") != std::string::npos);
    CHECK(why.find("leave retry_backoff(...) out") != std::string::npos);
}

TEST_CASE("places of a team that are the queue itself, or no address, are refused by check") {
    const auto why = [](const std::string& retry, const std::string& failed) {
        waybill::app app{"jobs", "1"};
        app.broker(rabbitmq::broker{url})
            .subscribe(queue{"jobs"}.legacy_retry_queues(retry, failed),
                       [](std::span<const std::byte>) { return waybill::retry(); })
            .max_attempts(3);
        return problems_of(app);
    };
    CHECK(why("jobs", "failed").find("its retry address is the queue itself") != std::string::npos);
    CHECK(why("retry", "jobs").find("its failed address is the queue itself") != std::string::npos);
    CHECK(why("/exchanges", "failed").find("its retry address \"/exchanges\"") !=
          std::string::npos);
    CHECK(why("retry", "failed").empty());
}

}  // namespace mq_legacy_test
