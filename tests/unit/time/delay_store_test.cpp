#include "time/delay_store.hpp"

#include "fake_transport.hpp"
#include <waybill/clock.hpp>

#include <doctest/doctest.h>

#include <list>
#include <string>

using namespace std::chrono_literals;

namespace delay_store_test {

using support::publish_status;
using support::trace;
using waybill::headers;

struct rig {
    trace happened;
    support::fake_transport transport{happened};
    std::shared_ptr<waybill::manual_clock> time = std::make_shared<waybill::manual_clock>();
    waybill::time::timers timers{[] {}};
    trace troubles;
    std::list<std::string> addresses;  ///< of dead letters, which outlive the store
    waybill::time::memory_delay_store store{
        transport, timers, time, [this](std::string_view why) { troubles.emplace_back(why); }};

    void put(std::string_view address, std::chrono::nanoseconds delay, const headers& with = {},
             std::string_view dead_letter = {}) {
        const auto* dead = dead_letter.empty() ? nullptr : &addresses.emplace_back(dead_letter);
        const std::string payload = "body of " + std::string{address};
        const auto bytes = std::as_bytes(std::span{payload});
        CHECK(store.put({address, bytes, with.packed(), delay}, dead) == publish_status::confirmed);
    }
    void advance(std::chrono::nanoseconds span) {
        const auto end = time->now() + span;
        for (auto due = timers.next_due(); due && *due <= end; due = timers.next_due()) {
            time->advance_to(*due);
            timers.fire_due(*due, 1);
        }
        time->advance_to(end);
    }
};

TEST_CASE("copies are published at their time, in due order, as they were") {
    rig all;
    all.put("b", 30s, {{"tag", "x"}, {"tag", "y"}});
    all.put("a", 10s);
    all.put("c", 30s);
    CHECK(all.store.waiting() == 3);
    all.advance(9'999'999'999ns);
    CHECK(all.happened.empty());
    all.advance(1ns);
    CHECK(all.happened == trace{"publish a: confirmed"});
    all.advance(20s);
    CHECK(all.happened ==
          trace{"publish a: confirmed", "publish b: confirmed", "publish c: confirmed"});
    CHECK(all.transport.sent[1].payload == "body of b");
    CHECK(all.transport.sent[1].with == headers{{"tag", "x"}, {"tag", "y"}});
    CHECK(all.transport.sent[1].delay == 0s);
    CHECK(all.store.waiting() == 0);
    CHECK(all.timers.waiting() == 0);
}

TEST_CASE("a copy that the broker does not take is tried again with growing pauses") {
    rig all;
    all.transport.answers({publish_status::failed, publish_status::unroutable,
                           publish_status::failed, publish_status::lost});
    all.put("a", 1s);
    all.advance(1s + 100ms + 200ms + 400ms);
    CHECK(all.happened.size() == 4);
    CHECK(all.store.waiting() == 1);
    all.advance(800ms);
    CHECK(all.happened.back() == "publish a: confirmed");
    CHECK(all.store.waiting() == 0);
}

TEST_CASE("a copy that is not taken is told of once, and once when it is taken at last") {
    rig all;
    all.transport.answers(
        {publish_status::failed, publish_status::confirmed, publish_status::failed});
    all.put("a", 1s);
    all.put("b", 1s);
    all.advance(1s);
    const std::string why =
        "a copy that has waited for its time is not taken at a; it is kept and published again";
    CHECK(all.troubles == trace{why});
    all.advance(100ms);
    CHECK(all.troubles == trace{why});
    all.advance(200ms);
    CHECK(all.troubles == trace{why, ""});
}

const headers of_a_retry{{"tag", "x"},
                         {"waybill-dead-reason", "attempts"},
                         {"tag", "y"},
                         {"waybill-retry-count", "3"},
                         {"waybill-id", "root"},
                         {"waybill-copy", "root/3"},
                         {"waybill-expires-at", "1000000000000"},
                         {"waybill-retry-source", "a"}};
const headers of_its_dead_letter{{"tag", "x"},
                                 {"tag", "y"},
                                 {"waybill-retry-count", "3"},
                                 {"waybill-id", "root"},
                                 {"waybill-copy", "root/3"}};

TEST_CASE("a copy that is refused for good becomes a dead letter without a record, at once") {
    rig all;
    all.transport.answers({publish_status::refused});
    all.put("a", 1s, of_a_retry, "a.dead");
    all.advance(1s);
    CHECK(all.happened == trace{"publish a: refused", "publish a.dead: confirmed"});
    CHECK(all.transport.sent[1].payload == "body of a");
    CHECK(all.transport.sent[1].with == of_its_dead_letter);
    CHECK(all.troubles == trace{"a copy that has waited for its time will never be taken at a; it "
                                "goes to the dead letter a.dead without a failure record",
                                ""});
    CHECK(all.store.waiting() == 0);
}

TEST_CASE(
    "a copy that was not taken at first and is refused then ends one trouble and begins another") {
    rig all;
    all.transport.answers(
        {publish_status::failed, publish_status::pending, publish_status::pending});
    all.put("a", 1s, of_a_retry, "a.dead");
    all.advance(1s + 100ms);
    all.transport.conclude(1, publish_status::refused);
    CHECK(all.troubles.size() == 3);
    CHECK(all.troubles.at(1).empty());
    CHECK(all.store.waiting() == 1);
    all.advance(0s);
    all.transport.conclude(2, publish_status::confirmed);
    CHECK(all.happened.back() == "confirmed a.dead");
    CHECK(all.troubles.size() == 4);
    CHECK(all.troubles.back().empty());
    CHECK(all.store.waiting() == 0);
}

TEST_CASE("what is refused in its last form is kept, told of once, and tried every minute") {
    for (const std::string_view dead : {"a.dead", ""}) {
        CAPTURE(dead);
        rig all;
        all.transport.answers_always(publish_status::refused);
        all.put("a", 1s, of_a_retry, dead);
        all.advance(1s + 2min);
        const auto* const last = dead.empty() ? "publish a: refused" : "publish a.dead: refused";
        CHECK(all.happened ==
              (dead.empty() ? trace(3, last) : trace{"publish a: refused", last, last, last}));
        CHECK(all.troubles.size() == 1);
        CHECK(all.store.waiting() == 1);
        all.transport.answers_always(publish_status::confirmed);
        all.advance(1min);
        CHECK(all.transport.sent.back().with == (dead.empty() ? of_a_retry : of_its_dead_letter));
        CHECK(all.troubles.back().empty());
        CHECK(all.store.waiting() == 0);
    }
}

TEST_CASE("what is refused at a flush goes to the dead letter as well, without a due time") {
    rig all;
    all.transport.answers({publish_status::refused});
    all.put("a", 1s, of_a_retry, "a.dead");
    CHECK(all.store.flush() == 0);
    CHECK(all.happened == trace{"publish a: refused", "publish a.dead: confirmed"});
    CHECK(all.transport.sent[0].with.contains("waybill-due"));
    CHECK(all.transport.sent[1].with == of_its_dead_letter);
    CHECK(all.store.waiting() == 0);
}

TEST_CASE("a copy stays in the store until its confirmation, and is sent once") {
    rig all;
    all.transport.answers({publish_status::pending, publish_status::pending});
    all.put("a", 1s);
    all.advance(24h);
    CHECK(all.happened == trace{"publish a: pending"});
    CHECK(all.store.waiting() == 1);
    all.transport.conclude(0, publish_status::failed);
    all.advance(100ms);
    CHECK(all.happened.back() == "publish a: pending");
    all.transport.conclude(1, publish_status::confirmed);
    all.advance(24h);
    CHECK(all.happened.size() == 4);
    CHECK(all.store.waiting() == 0);
}

TEST_CASE("a flush publishes what waits at once, in due order, each with its due time") {
    rig all;
    all.put("c", 30s, {{"tag", "x"}});
    all.put("a", 10s);
    all.put("b", 10s);
    all.advance(5s);
    CHECK(all.store.flush() == 0);
    CHECK(all.happened ==
          trace{"publish a: confirmed", "publish b: confirmed", "publish c: confirmed"});
    const auto began = 946'684'800'000;
    CHECK(all.transport.sent[0].with == headers{{"waybill-due", std::to_string(began + 10'000)}});
    CHECK(all.transport.sent[2].with ==
          headers{{"tag", "x"}, {"waybill-due", std::to_string(began + 30'000)}});
    CHECK(all.store.waiting() == 0);
    CHECK(all.store.flush() == 0);
    all.advance(24h);
    CHECK(all.happened.size() == 3);
}

TEST_CASE("after a flush nothing is taken any more: the original comes again") {
    rig all;
    CHECK(all.store.flush() == 0);
    CHECK(all.store.put({"a", {}, {}, 1s}, nullptr) == publish_status::lost);
    CHECK(all.store.waiting() == 0);
}

TEST_CASE("a due time is rounded up, so that no wait is shortened") {
    rig all;
    all.put("a", 1'000'001ns);
    CHECK(all.store.flush() == 0);
    CHECK(all.transport.sent[0].with == headers{{"waybill-due", "946684800002"}});
}

TEST_CASE("a flush tries again what the broker did not take") {
    rig all;
    all.transport.answers(
        {publish_status::confirmed, publish_status::failed, publish_status::lost});
    all.put("a", 1s);
    all.put("b", 2s);
    all.put("c", 3s);
    CHECK(all.store.flush() == 0);
    CHECK(all.happened == trace{"publish a: confirmed", "publish b: failed", "publish c: lost",
                                "publish b: confirmed", "publish c: confirmed"});
    CHECK(all.transport.sent[3].with == headers{{"waybill-due", "946684802000"}});
    CHECK(all.store.waiting() == 0);
}

TEST_CASE("a flush ends, and says how many the broker did not take") {
    rig all;
    all.transport.answers_always(publish_status::failed);
    all.put("a", 1s);
    CHECK(all.store.flush() == 1);
    CHECK(all.happened == trace(64, "publish a: failed"));
    CHECK(all.store.waiting() == 1);
}

}  // namespace delay_store_test
