// What the runs of every_step.hpp are held against finds each kind of mistake: a book that never
// complained would make all of them pass.
#include "support/step_ledger.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace step_ledger_test {

using support::said;
using support::sent_kind;
using support::step_ledger;
using waybill::headers;
using waybill::health_state;
using waybill::detail::capabilities;
using waybill::detail::publish_status;
using waybill::detail::settle_kind;

constexpr said acks{said::kind::ack};
constexpr said retries{said::kind::again};

capabilities counting() {
    capabilities can;
    can.counts = waybill::detail::count_support::failures;
    can.requeue = waybill::detail::requeue_support::counted;
    can.delays_copies = true;
    can.crash_is_counted = true;
    return can;
}

capabilities copying() {
    capabilities can;
    can.requeue = waybill::detail::requeue_support::uncounted;
    return can;
}

/// A ledger with a cap of 3, and messages to tell it of.
struct book {
    explicit book(const capabilities& can) : ledger{can, 3, time} {}

    /// One delivery; the next of the same message is another one.
    struct delivery {
        std::string payload;
        headers with;
    };

    delivery& deliver(std::uint64_t id, headers with = {}, bool redelivered = false) {
        auto& made = kept.emplace_back(delivery{"payload", std::move(with)});
        made.with.append("x-id", id);
        waybill::detail::received from;
        from.payload = bytes(made);
        from.packed_headers = made.with.packed();
        from.token = &made;
        from.redelivered = redelivered;
        ledger.took({&from, 1});
        return made;
    }
    /// Delivered, handled and answered.
    delivery& handle(std::uint64_t id, std::uint32_t attempt, said answer) {
        auto& one = deliver(id);
        ledger.ran(bytes(one).data(), attempt);
        ledger.answered(bytes(one).data(), answer);
        return one;
    }
    void settle(delivery& one, settle_kind kind, bool is_stale = false) {
        ledger.settled({&one, 0, {}, kind}, is_stale);
    }
    void publish(delivery& one, sent_kind kind, const headers& with, publish_status told) {
        const waybill::outgoing_view view{"orders", bytes(one), with.packed()};
        ledger.taken(kind, view);
        ledger.told(kind, view, told);
    }
    static headers copy(std::uint64_t id, const char* count) {
        return {{"x-id", id},
                {"waybill-retry-count", count},
                {"waybill-id", "root"},
                {"waybill-copy", std::string{"root/"} + count},
                {"waybill-retry-source", "orders"}};
    }
    static headers dead(std::uint64_t id, const char* count, const char* reason) {
        return {{"x-id", id},
                {"waybill-retry-count", count},
                {"waybill-dead-reason", reason},
                {"waybill-dead-attempts", count}};
    }
    static std::span<const std::byte> bytes(const delivery& one) {
        return std::as_bytes(std::span{one.payload});
    }

    std::shared_ptr<waybill::manual_clock> time = std::make_shared<waybill::manual_clock>();
    step_ledger ledger;
    std::deque<delivery> kept;
};

struct mistake {
    const char* found;
    std::function<void(book&)> make;
    capabilities can = counting();
};

const std::vector<mistake>& mistakes() {
    static const std::vector<mistake> all{
        {"a token was settled that is not in hand",
         [](book& of) {
             auto& one = of.handle(1, 1, acks);
             of.settle(one, settle_kind::accept);
             of.settle(one, settle_kind::accept);
         }},
        {"was never settled",
         [](book& of) {
             of.handle(1, 1, acks);
             of.ledger.session_ended(false);
         }},
        {"was settled without an answer or a copy",
         [](book& of) { of.settle(of.deliver(1), settle_kind::accept); }},
        {"was settled before its copy was confirmed",
         [](book& of) {
             auto& one = of.handle(1, 1, retries);
             of.publish(one, sent_kind::copy, book::copy(1, "1"), publish_status::lost);
             of.settle(one, settle_kind::accept);
         }},
        {"was acked before what it staged was confirmed",
         [](book& of) {
             of.settle(of.handle(1, 1, {said::kind::ack, 0s, 2}), settle_kind::accept);
         }},
        {"was requeued unasked",
         [](book& of) { of.settle(of.handle(1, 1, acks), settle_kind::requeue); }},
        {"was charged because its copy was not taken",
         [](book& of) {
             auto& one = of.handle(1, 1, retries);
             of.publish(one, sent_kind::copy, book::copy(1, "1"), publish_status::lost);
             of.settle(one, settle_kind::requeue);
         }},
        {"was given back though it had its answer",
         [](book& of) { of.settle(of.handle(1, 1, retries), settle_kind::release); }},
        {"was rejected", [](book& of) { of.settle(of.handle(1, 1, acks), settle_kind::reject); }},
        {"was left unsettled",
         [](book& of) { of.settle(of.handle(1, 1, acks), settle_kind::leave); }},
        {"was thrown away as stale",
         [](book& of) { of.settle(of.handle(1, 1, acks), settle_kind::nothing); }},
        {"ran above its cap: attempt 4", [](book& of) { of.handle(1, 4, acks); }},
        {"ran as attempt 2, not 1", [](book& of) { of.handle(1, 2, acks); }},
        {"ran as attempt 1, not 2",
         [](book& of) {
             of.deliver(1);
             of.ledger.fell(false);
             of.handle(1, 1, acks);
         }},
        {"ran again as attempt 1 without having come back",
         [](book& of) {
             of.settle(of.handle(1, 1, acks), settle_kind::accept);
             of.handle(1, 1, acks);
         }},
        {"came before its delay had passed",
         [](book& of) {
             of.settle(of.handle(1, 1, {said::kind::again, 5s}), settle_kind::requeue);
             of.time->advance_by(4s);
             of.handle(1, 2, acks);
         }},
        {"message 1 came out of order",
         [](book& of) {
             const auto& first = of.deliver(1);
             const auto& second = of.deliver(2);
             of.ledger.decoded(&of, book::bytes(second).data(), true);
             of.ledger.decoded(&of, book::bytes(first).data(), true);
         }},
        {"has a copy that carries 2, not 1",
         [](book& of) {
             of.publish(of.handle(1, 1, retries), sent_kind::copy, book::copy(1, "2"),
                        publish_status::confirmed);
         }},
        {"has a copy with another waybill-id than it had",
         [](book& of) {
             of.ledger.published({1, support::ending::acked, "other"});
             of.publish(of.handle(1, 1, retries), sent_kind::copy, book::copy(1, "1"),
                        publish_status::confirmed);
         }},
        {"a copy lost its headers",
         [](book& of) {
             of.publish(of.handle(1, 1, retries), sent_kind::copy, {}, publish_status::confirmed);
         }},
        {"was copied though it was stale",
         [](book& of) {
             auto& one = of.handle(1, 1, retries);
             of.ledger.fell(false);
             of.publish(one, sent_kind::copy, book::copy(1, "1"), publish_status::confirmed);
         }},
        {"was published a second time with other headers",
         [](book& of) {
             auto& one = of.handle(1, 1, retries);
             auto with = book::copy(1, "1");
             of.publish(one, sent_kind::copy, with, publish_status::lost);
             with.append("more", "");
             of.publish(one, sent_kind::copy, with, publish_status::confirmed);
         }},
        {"was spent at attempt 1",
         [](book& of) {
             of.publish(of.handle(1, 1, retries), sent_kind::dead_letter,
                        book::dead(1, "1", "attempts"), publish_status::confirmed);
         }},
        {"died of attempts, not of redelivered",
         [](book& of) {
             of.publish(of.deliver(1), sent_kind::dead_letter, book::dead(1, "0", "attempts"),
                        publish_status::confirmed);
         }},
        {"health is running () while a publish is repeated",
         [](book& of) {
             of.publish(of.handle(1, 1, retries), sent_kind::copy, book::copy(1, "1"),
                        publish_status::failed);
             of.ledger.rests({health_state::running, ""}, 0);
         }},
        {"health is degraded (why) though nothing is wrong",
         [](book& of) { of.ledger.rests({health_state::degraded, "why"}, 0); }},
        {"1 wait in the process, not 0",
         [](book& of) { of.ledger.rests({health_state::running, ""}, 1); }},
        {"was left in the memory of a process that stopped",
         [](book& of) {
             of.settle(of.handle(1, 1, {said::kind::again, 5s}), settle_kind::accept);
             of.ledger.session_ended(false);
         },
         copying()},
        {"2 are in hand though nothing new has come",
         [](book& of) {
             of.deliver(1);
             of.ledger.fell(true);
             of.ledger.session_ended(false);
             of.deliver(1, {}, true);
             of.deliver(2);
         }},
        {"was lost",
         [](book& of) {
             of.ledger.published({1, support::ending::acked, {}});
             of.ledger.close();
         }},
        {"ended 2 times",
         [](book& of) {
             of.settle(of.handle(1, 1, acks), settle_kind::accept);
             of.ledger.found_dead(1, book::dead(1, "3", "attempts"));
             of.ledger.close();
         }},
        {"ended in another way than it should have",
         [](book& of) {
             of.ledger.published({1, support::ending::dead, {}});
             of.settle(of.handle(1, 1, acks), settle_kind::accept);
             of.ledger.close();
         }},
        {"left 1 messages it staged",
         [](book& of) {
             of.ledger.found_staged(1, 0);
             of.ledger.close();
         }},
        {"left what it staged in another order", [](book& of) { of.ledger.found_staged(1, 1); }},
        {"was left unread", [](book& of) { of.ledger.left_over(1); }},
    };
    return all;
}

TEST_CASE("the book of the steps finds each mistake") {
    for (const auto& each : mistakes()) {
        book of{each.can};
        each.make(of);
        const auto found = of.ledger.problems().find(each.found) != std::string::npos;
        CHECK_MESSAGE(found, std::string{each.found} << " is not in: " << of.ledger.problems());
    }
}

TEST_CASE("the book of the steps has nothing against what is right") {
    book of{counting()};
    of.ledger.published({1, support::ending::acked, {}});
    of.ledger.published({2, support::ending::dead, "root"});
    of.settle(of.handle(1, 1, {said::kind::again, 5s}), settle_kind::requeue);
    of.time->advance_by(5s);
    of.handle(1, 2, acks);
    of.ledger.fell(false);
    of.settle(of.kept.back(), settle_kind::accept, true);
    of.settle(of.handle(1, 3, acks), settle_kind::accept);
    of.settle(of.handle(2, 1, retries), settle_kind::requeue);
    of.settle(of.handle(2, 2, retries), settle_kind::requeue);
    auto& last = of.handle(2, 3, retries);
    const auto dead = book::dead(2, "3", "attempts");
    of.ledger.told(sent_kind::dead_letter, {"dead", book::bytes(last), dead.packed()},
                   publish_status::failed);
    of.ledger.rests({health_state::degraded, "why"}, 0);
    of.publish(last, sent_kind::dead_letter, dead, publish_status::confirmed);
    of.ledger.rests({health_state::running, ""}, 0);
    of.settle(last, settle_kind::accept);
    of.ledger.session_ended(false);
    of.ledger.found_dead(2, dead);
    of.ledger.close();
    CHECK(of.ledger.problems() == "");
}

}  // namespace step_ledger_test
