#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"
#include "transport/rabbitmq/waits.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

using namespace live;
using namespace std::chrono_literals;
using waybill::rabbitmq::queue;
using waybill::rabbitmq::queue_type;

namespace {

/// What the server says of the waiting queues of an origin: their names with their arguments. Takes
/// seconds.
std::vector<std::string> waiting_queues(const std::string& origin) {
    std::istringstream all{ctl("list_queues -p " + login_of_server().vhost + " name arguments")};
    std::vector<std::string> found;
    for (std::string line; std::getline(all, line);) {
        const bool waits = line.starts_with("waybill.wait.v1.");
        if (waits && line.find('"' + origin + '"') != line.npos) found.push_back(line);
    }
    return found;
}

/// Every delay that these tests speak of, and their neighbours on the grid.
constexpr std::chrono::milliseconds probed[] = {100ms, 200ms, 300ms,  400ms,  500ms,  600ms, 700ms,
                                                800ms, 900ms, 1000ms, 1200ms, 1234ms, 2s,    10s};

std::string name_of_wait(std::chrono::milliseconds span, const std::string& origin,
                         queue_type type = queue_type::quorum) {
    return waybill::rabbitmq::waiting_queue_name(span, type, login_of_server().vhost, origin);
}

using spans = std::vector<std::chrono::milliseconds>;

/// Which of these delays have a queue.
spans waits_of(plain_client& client, const std::string& origin) {
    spans there;
    for (const auto each : probed) {
        if (client.exists(name_of_wait(each, origin))) there.push_back(each);
    }
    return there;
}

void forget_waiting(plain_client& client, const std::string& origin) {
    for (const auto each : probed) {
        client.delete_queue(name_of_wait(each, origin));
        client.delete_queue(name_of_wait(each, origin, queue_type::classic));
    }
}

/// How long the message was away between its first two runs.
std::chrono::milliseconds away(const service& reads, const std::string& name) {
    const auto all = reads.calls(name);
    return std::chrono::duration_cast<std::chrono::milliseconds>(all.at(1).at - all.at(0).at);
}

/// One message is retried once, by `does`, which says how at its first attempt.
std::chrono::milliseconds wait_once(service& reads, plain_client& client, const queue& from,
                                    const std::string& name, waybill::outcome first,
                                    const waybill::backoff& delays = {},
                                    std::chrono::milliseconds patience = 30s) {
    auto& one = reads.subscribe(from, [first](const call& seen, waybill::context&) {
        return seen.attempt == 1 ? first : waybill::ack();
    });
    one.max_attempts(5).dead_letter(name + ".dead");
    if (!delays.empty()) one.retry_backoff(delays);
    reads.start();
    client.fill(name, 1);
    REQUIRE_MESSAGE(eventually([&] { return reads.count(name) == 2; }, patience), reads.log());
    CHECK(reads.stop());
    CHECK(client.ready(name) == 0);
    return away(reads, name);
}

bool has(const std::vector<std::string>& lines, std::string_view part) {
    for (const auto& each : lines) {
        if (each.find(part) != each.npos) return true;
    }
    return false;
}

void forget(plain_client& client, const std::string& name) {
    client.delete_queue(name);
    client.delete_queue(name + ".dead");
    forget_waiting(client, name);
}

}  // namespace

TEST_CASE("a wait takes place in a quorum queue of the server, whatever the origin is") {
    plain_client client;
    for (const auto type : {queue_type::classic, queue_type::quorum}) {
        const bool quorum = type == queue_type::quorum;
        const std::string name = quorum ? "waiting.quorum" : "waiting.classic";
        forget(client, name);
        service reads;
        const auto span = wait_once(reads, client, std::move(queue{name}.type(type)), name,
                                    waybill::retry_after(1s));
        CHECK(span >= 1s);
        const auto there = waiting_queues(name);
        REQUIRE(there.size() == 1);
        CHECK(has(there, "waybill.wait.v1.1000.quorum."));
        CHECK(has(there, R"("x-message-ttl",1000)"));
        CHECK(has(there, R"("x-dead-letter-exchange",)"));
        CHECK(has(there, R"("x-dead-letter-routing-key",")" + name + '"'));
        CHECK(has(there, R"("x-dead-letter-strategy","at-least-once")"));
        CHECK(has(there, R"("x-overflow","reject-publish")"));
        // The second delivery comes by the default exchange, as a copy.
        const auto last = reads.calls(name).back();
        CHECK(last.text("waybill-retry-count") == "1");
        CHECK(last.text("waybill-retry-source") == name);
    }
}

TEST_CASE("what goes back to a queue that deletes itself waits in a classic queue") {
    plain_client client;
    const std::string name = "waiting.auto-delete";
    forget(client, name);
    service reads;
    reads.subscribe(std::move(queue{name}.auto_delete()), [](const call& seen, waybill::context&) {
        return seen.attempt == 1 ? waybill::retry_after(1s) : waybill::ack();
    });
    reads.start();
    client.publish("", name, "0");
    client.confirm();
    REQUIRE_MESSAGE(eventually([&] { return reads.count(name) == 2; }), reads.log());
    CHECK(away(reads, name) >= 1s);
    CHECK(reads.stop());
    const auto there = waiting_queues(name);
    REQUIRE(there.size() == 1);
    CHECK(has(there, "waybill.wait.v1.1000.classic."));
    CHECK(has(there, R"("x-expires",602000)"));
}

TEST_CASE("a delay off the grid is waited out in the grid's queue and in hand") {
    plain_client client;
    const std::string name = "waiting.off-grid";
    forget(client, name);
    service reads;
    const auto span = wait_once(reads, client, queue{name}, name, waybill::retry_after(1234ms));
    CHECK(span >= 1234ms);
    CHECK(waits_of(client, name) == spans{1200ms});
    CHECK(!reads.calls(name).back().text("waybill-due").empty());
    CHECK(reads.count(name) == 2);  // what came early was not handed to the handler
}

TEST_CASE("a longer delay off the grid takes several queues") {
    plain_client client;
    const std::string name = "waiting.hops";
    forget(client, name);
    service reads;
    const auto span = wait_once(reads, client, queue{name}, name, waybill::retry_after(10'950ms));
    CHECK(span >= 10'950ms);
    // The second depends on how late the first was.
    const auto there = waits_of(client, name);
    CHECK(there.size() >= 2);
    CHECK(there.back() == 10s);
}

TEST_CASE("the constants of a declared back-off are one hop each") {
    plain_client client;
    const std::string name = "waiting.backoff";
    forget(client, name);
    service reads;
    const auto span = wait_once(reads, client, queue{name}, name, waybill::retry(),
                                waybill::backoff::fixed(1234ms));
    CHECK(span >= 1234ms);
    CHECK(waits_of(client, name) == spans{1234ms});
}

TEST_CASE("what is below 100 ms is waited in hand") {
    plain_client client;
    const std::string name = "waiting.short";
    forget(client, name);
    service reads;
    const auto span = wait_once(reads, client, queue{name}, name, waybill::retry_after(60ms));
    CHECK(span >= 60ms);
    CHECK(waits_of(client, name).empty());
}

TEST_CASE("with delays in memory no queue is made") {
    plain_client client;
    const std::string name = "waiting.in-memory";
    forget(client, name);
    service reads;
    reads.config().delays(waybill::rabbitmq::waits::in_memory);
    const auto span = wait_once(reads, client, queue{name}, name, waybill::retry_after(400ms));
    CHECK(span >= 400ms);
    CHECK(waits_of(client, name).empty());
    CHECK(reads.log().find("kill_loses=waiting") != std::string::npos);
}

TEST_CASE("what waits outlives the service, and waiting holds up nothing behind it") {
    plain_client client;
    const std::string name = "waiting.outlives";
    forget(client, name);
    const auto answer = [](const call& seen, waybill::context&) {
        return seen.attempt == 1 && seen.body == "0" ? waybill::retry_after(10s) : waybill::ack();
    };
    {
        service reads;
        reads.subscribe(queue{name}, answer).max_attempts(5).dead_letter(name + ".dead");
        reads.start();
        client.fill(name, 5);
        REQUIRE(eventually([&] { return reads.count(name) == 5; }, 8s));
        CHECK(reads.stop());
    }
    service reads;
    reads.subscribe(queue{name}, answer).max_attempts(5).dead_letter(name + ".dead");
    reads.start();
    REQUIRE(eventually([&] { return reads.count(name) == 1; }));
    CHECK(reads.calls(name).front().attempt == 2);
    CHECK(reads.stop());
}

TEST_CASE("a waiting queue that was deleted is made again for the next wait") {
    plain_client client;
    const std::string name = "waiting.deleted";
    forget(client, name);
    service reads;
    reads
        .subscribe(queue{name},
                   [](const call& seen, waybill::context&) {
                       return seen.attempt == 1 ? waybill::retry_after(300ms) : waybill::ack();
                   })
        .max_attempts(5)
        .dead_letter(name + ".dead");
    reads.start();
    client.fill(name, 1);
    REQUIRE(eventually([&] { return reads.count(name) == 2; }));
    forget_waiting(client, name);
    client.fill(name, 1);
    CHECK_MESSAGE(eventually([&] { return reads.count(name) == 4; }), reads.log());
    CHECK(reads.stop());
}
