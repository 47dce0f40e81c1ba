#include "settle/plan.hpp"

#include <doctest/doctest.h>

#include <array>
#include <sstream>
#include <string>

using namespace std::chrono_literals;

namespace plan_test {

using std::chrono::nanoseconds;
using waybill::backoff;
using waybill::dead_reason;
using waybill::outcome;
using waybill::outcome_kind;
using waybill::detail::count_support;
using waybill::detail::delay_support;
using waybill::detail::requeue_support;
using waybill::settle::action;
using waybill::settle::plan;
using waybill::settle::plan_on_receipt;
using waybill::settle::plan_settlement;
using waybill::settle::rules;
using waybill::settle::situation;

bool gives_back(const plan& made) {
    return made.act == action::requeue || made.act == action::requeue_after ||
           made.act == action::hold;
}

bool comes_again(const plan& made) {
    return gives_back(made) || made.act == action::copy || made.act == action::leave;
}

/// The first rule of ARCHITECTURE, section 4, that a plan breaks; null when it keeps them all.
struct judge {
    outcome answer;
    const rules& declared;
    const situation& now;
    plan made;

    [[nodiscard]] bool retries() const {
        return answer.kind() == outcome_kind::retry || answer.kind() == outcome_kind::retry_after;
    }
    [[nodiscard]] nanoseconds wanted_delay() const {
        return answer.delay() > 0ns ? answer.delay() : declared.retry_delay.after(now.attempt);
    }
    [[nodiscard]] bool is_near_limit() const {
        const auto limit = declared.can.delivery_limit;
        return limit != 0 && now.counted + 2 >= limit;
    }

    [[nodiscard]] const char* broken_rule() const {
        if (now.stale) {
            return made == plan{{}, action::nothing} ? nullptr : "stale: nothing is done";
        }
        if (made.act == action::nothing) return "only a stale delivery is left alone";
        if (answer.kind() == outcome_kind::ack) {
            return made == plan{{}, action::accept} ? nullptr : "ack: accepted";
        }
        if (answer.kind() == outcome_kind::drop) return broken_by_drop();
        return broken_by_retry();
    }

    [[nodiscard]] const char* broken_by_drop() const {
        const auto wanted = declared.rejects_drops ? action::reject : action::accept;
        return made == plan{{}, wanted, {}, true} ? nullptr : "drop: accepted, or rejected";
    }

    [[nodiscard]] const char* broken_by_retry() const {
        const bool spent = declared.cap != 0 && now.attempt >= declared.cap;
        const bool expired = now.expires_in && wanted_delay() >= *now.expires_in;
        if (now.foreign) return broken_by_end(dead_reason::foreign_copy);
        if (spent) return broken_by_end(dead_reason::attempts);
        if (expired) return broken_by_end(dead_reason::expired);
        if (!comes_again(made)) return "what has attempts left comes again";
        if (const auto* broken = broken_by_giving_back()) return broken;
        if (made.act == action::leave) return broken_by_leaving();
        return broken_by_delay();
    }

    [[nodiscard]] const char* broken_by_end(dead_reason reason) const {
        if (declared.has_dead_letter) {
            const bool right = made == plan{0ns, action::dead_letter, reason, false};
            return right ? nullptr : "what has no attempts left goes to the dead letter";
        }
        const bool rejects = declared.can.spent_is_rejected && !declared.drop_when_spent;
        const plan wanted{0ns, rejects ? action::reject : action::accept, reason, true};
        return made == wanted ? nullptr : "without a dead letter a spent message is dropped";
    }

    [[nodiscard]] const char* broken_by_giving_back() const {
        if (!gives_back(made)) return nullptr;
        if (declared.can.requeue == requeue_support::none) return "the transport cannot requeue";
        if (declared.has_retry_address) return "retries go to the retry address, as copies";
        if (is_near_limit()) return "the broker would drop the message";
        const bool counted = declared.can.requeue == requeue_support::counted &&
                             declared.can.counts == count_support::failures;
        if (declared.cap != 0 && !counted) return "under a cap no count may be lost";
        if (made.act == action::requeue_after && declared.can.delay != delay_support::broker) {
            return "the broker cannot delay";
        }
        if ((made.act == action::requeue) != (made.delay == 0ns)) return "a delay is kept";
        const bool may_hold = declared.can.delay == delay_support::held || declared.cap == 0;
        if (made.act == action::hold && !may_hold) return "nothing is held where it cannot be";
        return nullptr;
    }

    [[nodiscard]] const char* broken_by_leaving() const {
        const bool right = declared.cap == 0 && wanted_delay() == 0ns &&
                           declared.can.requeue == requeue_support::none &&
                           !declared.has_retry_address;
        return right ? nullptr : "only an immediate retry without a cap is left unsettled";
    }

    [[nodiscard]] const char* broken_by_delay() const {
        if (wanted_delay() > 0ns || declared.cap != 0) {
            return made.delay == wanted_delay() ? nullptr : "the delay is the one asked for";
        }
        // Without a cap: the first time at once, if the next delivery is known to be the second.
        const bool next_is_counted =
            made.act == action::copy || declared.can.counts == count_support::failures;
        if (made.delay == 0ns && (now.attempt != 1 || !next_is_counted)) return "it would spin";
        return made.delay <= 5s ? nullptr : "a pause is 5 s at most";
    }
};

std::string describe(const judge& at) {
    std::ostringstream text;
    text << at.answer << ", attempt " << at.now.attempt << " of " << at.declared.cap << ", counted "
         << at.now.counted << ", limit " << at.declared.can.delivery_limit << ", dead letter "
         << at.declared.has_dead_letter << ", retry address " << at.declared.has_retry_address
         << ", drop_when_spent " << at.declared.drop_when_spent << ", rejects_drops "
         << at.declared.rejects_drops << ", back-off " << at.declared.retry_delay.describe()
         << ", requeue " << static_cast<int>(at.declared.can.requeue) << ", delay "
         << static_cast<int>(at.declared.can.delay) << ", counts "
         << static_cast<int>(at.declared.can.counts) << ", stale " << at.now.stale << ", foreign "
         << at.now.foreign << ", expires " << (at.now.expires_in ? at.now.expires_in->count() : -1)
         << " -> action " << static_cast<int>(at.made.act) << " after " << at.made.delay.count();
    return text.str();
}

/// Calls `look` with every declaration on every transport.
template <class Look>
void with_every_rule(Look look) {
    for (const std::uint32_t cap : {0U, 1U, 2U, 5U}) {
        for (unsigned flags = 0; flags < 128; ++flags) {
            rules declared;
            declared.cap = cap;
            declared.has_dead_letter = (flags & 1) != 0;
            declared.has_retry_address = (flags & 2) != 0;
            declared.drop_when_spent = (flags & 4) != 0;
            declared.rejects_drops = (flags & 8) != 0;
            declared.can.delays_copies = (flags & 16) != 0;
            declared.can.spent_is_rejected = (flags & 32) != 0;
            if ((flags & 64) != 0) declared.retry_delay = backoff::exponential(2s, 1min);
            for (const auto requeue :
                 {requeue_support::none, requeue_support::uncounted, requeue_support::counted}) {
                for (const auto delay :
                     {delay_support::none, delay_support::held, delay_support::broker}) {
                    for (const auto counts :
                         {count_support::none, count_support::returns, count_support::failures}) {
                        declared.can.requeue = requeue;
                        declared.can.delay = delay;
                        declared.can.counts = counts;
                        look(declared);
                    }
                }
            }
        }
    }
}

/// Calls `look` with everything that can be known of a delivery under these rules.
template <class Look>
void with_every_situation(rules& declared, Look look) {
    constexpr std::array<std::optional<nanoseconds>, 4> lives = {std::nullopt, -1s, 0s, 3s};
    for (const std::uint32_t limit : {0U, 4U, 1000U}) {
        declared.can.delivery_limit = limit;
        for (std::uint32_t attempt = 1; attempt <= declared.cap + 2; ++attempt) {
            for (const auto& life : lives) {
                for (unsigned flags = 0; flags < 4; ++flags) {
                    situation now;
                    now.attempt = attempt;
                    now.counted = attempt - 1;
                    now.stale = (flags & 1) != 0;
                    now.foreign = (flags & 2) != 0;
                    now.expires_in = life;
                    look(now);
                }
            }
        }
    }
}

TEST_CASE("no plan loses a message, exceeds the cap or spins, whatever goes in") {
    constexpr std::array outcomes = {waybill::ack(), waybill::drop(), waybill::retry(),
                                     waybill::retry_after(1ns), waybill::retry_after(10s)};
    std::size_t looked = 0;
    std::size_t broken = 0;
    with_every_rule([&](rules& declared) {
        with_every_situation(declared, [&](const situation& now) {
            for (const auto answer : outcomes) {
                ++looked;
                const judge at{answer, declared, now, plan_settlement(answer, declared, now)};
                const auto* rule = at.broken_rule();
                if (rule == nullptr || ++broken > 5) continue;
                FAIL_CHECK(std::string{rule} << ": " << describe(at));
            }
        });
    });
    CHECK(broken == 0);
    CHECK(looked == std::size_t{128 * 27 * 3 * 4 * 4 * 5} * (2 + 3 + 4 + 7));
}

TEST_CASE("a retry and a retry_after of zero or less are one and the same") {
    std::size_t different = 0;
    with_every_rule([&](rules& declared) {
        with_every_situation(declared, [&](const situation& now) {
            const auto wanted = plan_settlement(waybill::retry(), declared, now);
            for (const nanoseconds delay : {0ns, -1ns, nanoseconds::min()}) {
                const outcome answer{outcome_kind::retry_after, delay};
                if (!(plan_settlement(answer, declared, now) == wanted)) ++different;
            }
        });
    });
    CHECK(different == 0);
}

TEST_CASE("an immediate retry without a cap pauses 10 ms doubling to 5 s") {
    using waybill::settle::pause_of;
    CHECK(pause_of(1) == 0ns);
    CHECK(pause_of(2) == 10ms);
    CHECK(pause_of(3) == 20ms);
    CHECK(pause_of(10) == 2560ms);
    CHECK(pause_of(11) == 5s);
    CHECK(pause_of(UINT32_MAX) == 5s);
}

TEST_CASE("from its second death on a dead letter waits 1 s doubling to 5 min") {
    using waybill::settle::death_delay;
    CHECK(death_delay(0) == 0s);
    CHECK(death_delay(1) == 1s);
    CHECK(death_delay(2) == 2s);
    CHECK(death_delay(9) == 256s);
    CHECK(death_delay(10) == 5min);
    CHECK(death_delay(UINT32_MAX) == 5min);

    rules declared;
    declared.cap = 1;
    declared.has_dead_letter = true;
    situation now;
    now.deaths = 3;
    CHECK(plan_settlement(waybill::retry(), declared, now) ==
          plan{4s, action::dead_letter, dead_reason::attempts, false});
}

TEST_CASE("a wait longer than the time to live ends in the dead letter at once") {
    rules declared;
    declared.has_dead_letter = true;
    situation now;
    now.expires_in = 10s;
    const auto of = [&](nanoseconds delay) {
        return plan_settlement(waybill::retry_after(delay), declared, now);
    };
    CHECK(of(9999ms).act == action::copy);
    CHECK(of(10s) == plan{0ns, action::dead_letter, dead_reason::expired, false});
    CHECK(plan_settlement(waybill::ack(), declared, now).act == action::accept);
}

situation received(std::uint32_t attempt, std::uint32_t counted, bool own) {
    situation now;
    now.attempt = attempt;
    now.counted = counted;
    now.own_history = own;
    return now;
}

TEST_CASE(
    "on receipt, an attempt above the cap is over where the broker counted or the copy is ours") {
    rules declared;
    declared.cap = 5;
    declared.has_dead_letter = true;
    const plan over{0ns, action::dead_letter, dead_reason::redelivered, false, true};
    for (std::uint32_t attempt = 1; attempt <= 5; ++attempt) {
        CHECK_FALSE(plan_on_receipt(declared, received(attempt, attempt - 1, true)));
    }
    CHECK(plan_on_receipt(declared, received(6, 5, false)) == over);
    CHECK(plan_on_receipt(declared, received(6, 1, true)) == over);
    CHECK(plan_on_receipt(declared, received(6, 0, true)) == over);
    CHECK_FALSE(plan_on_receipt(declared, received(6, 0, false)));

    declared.has_dead_letter = false;
    CHECK(plan_on_receipt(declared, received(6, 5, false)) ==
          plan{0ns, action::accept, dead_reason::redelivered, true, true});
    declared.can.spent_is_rejected = true;
    CHECK(plan_on_receipt(declared, received(6, 5, false))->act == action::reject);
}

TEST_CASE("on receipt, a message without a cap is never over by its attempts") {
    rules declared;
    CHECK_FALSE(plan_on_receipt(declared, received(1'000'000, 999'999, true)));
}

TEST_CASE("on receipt, a broker's count of returns ends crash loops only above its own limit") {
    rules declared;
    declared.max_redeliveries = 15;
    declared.has_dead_letter = true;
    CHECK_FALSE(plan_on_receipt(declared, received(1, 15, false)));
    CHECK(plan_on_receipt(declared, received(1, 16, false))->reason == dead_reason::redelivered);
}

TEST_CASE("on receipt, returns that near the broker's own limit end where crash loops are to end") {
    rules declared;
    declared.max_redeliveries = 30;
    declared.has_dead_letter = true;
    declared.can.delivery_limit = 20;
    CHECK_FALSE(plan_on_receipt(declared, received(1, 17, false)));
    CHECK(plan_on_receipt(declared, received(1, 18, false)) ==
          plan{0ns, action::dead_letter, dead_reason::redelivered, false, true});
    declared.max_redeliveries = 0;
    CHECK(plan_on_receipt(declared, received(1, 18, false)) ==
          plan{0ns, action::copy, {}, false, true});
}

TEST_CASE("on receipt, no fewer returns than the cap end what nobody has seen") {
    rules declared;
    declared.cap = 3;
    declared.max_redeliveries = 13;
    declared.has_dead_letter = true;
    const plan charged{0ns, action::copy, {}, false, false};
    const plan over{0ns, action::dead_letter, dead_reason::redelivered, false, true};
    for (const std::uint32_t limit : {1U, 2U, 3U, 4U}) {
        CAPTURE(limit);
        declared.can.delivery_limit = limit;
        const auto near = limit <= 3 ? 1 : limit - 2;
        CHECK(plan_on_receipt(declared, received(1, near, false)) == charged);
        CHECK(plan_on_receipt(declared, received(3, near, true)) == charged);
        CHECK(plan_on_receipt(declared, received(4, near, true)) == over);
        CHECK(plan_on_receipt(declared, received(1, 3, false)) == over);
        auto others = received(1, near, false);
        others.foreign = true;
        CHECK(plan_on_receipt(declared, others) == over);
    }
}

TEST_CASE("what carries less than crashes can bring about is made of answers") {
    rules declared;
    CHECK_FALSE(waybill::settle::rule::may_be_of_crashes(declared, 1'000));
    declared.can.delivery_limit = 20;
    CHECK_FALSE(waybill::settle::rule::may_be_of_crashes(
        declared, 1'000));  // without a cap nothing is charged
    declared.cap = 30;
    CHECK_FALSE(waybill::settle::rule::may_be_of_crashes(declared, 17));
    CHECK(waybill::settle::rule::may_be_of_crashes(declared, 18));
    declared.max_redeliveries = 40;
    CHECK(waybill::settle::rule::may_be_of_crashes(declared, 1));
    CHECK_FALSE(waybill::settle::rule::may_be_of_crashes(declared, 0));
    declared.cap = 18;
    CHECK_FALSE(waybill::settle::rule::may_be_of_crashes(declared, 1));
}

TEST_CASE("on receipt, a delivery near the broker's own limit is copied before its handler runs") {
    rules declared;
    declared.cap = 100;
    declared.has_dead_letter = true;
    const plan copied{0ns, action::copy, {}, false, true};
    for (const std::uint32_t limit : {1U, 2U, 3U, 4U, 20U, UINT32_MAX}) {
        declared.can.delivery_limit = limit;
        CAPTURE(limit);
        CHECK_FALSE(plan_on_receipt(declared, received(1, 0, false)));
        const auto near = limit <= 3 ? 1 : limit - 2;
        CHECK(plan_on_receipt(declared, received(50, near, false)) == copied);
        CHECK(plan_on_receipt(declared, received(50, UINT32_MAX, false)) == copied);
        if (near > 1) CHECK_FALSE(plan_on_receipt(declared, received(50, near - 1, false)));
        CHECK(plan_on_receipt(declared, received(101, near, false))->act == action::dead_letter);
    }
    auto others = received(50, UINT32_MAX, false);
    others.foreign = true;
    CHECK_FALSE(plan_on_receipt(declared, others));
}

TEST_CASE("on receipt, a message whose time to live is over is not handled any more") {
    rules declared;
    declared.has_dead_letter = true;
    auto now = received(2, 0, true);
    const plan over{0ns, action::dead_letter, dead_reason::expired, false, true};
    now.expires_in = 1ns;
    CHECK_FALSE(plan_on_receipt(declared, now));
    now.expires_in = 0ns;
    CHECK(plan_on_receipt(declared, now) == over);
    now.expires_in = -1h;
    CHECK(plan_on_receipt(declared, now) == over);
}

}  // namespace plan_test
