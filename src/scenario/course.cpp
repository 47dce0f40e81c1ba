#include "scenario/course.hpp"

#include "settle/count.hpp"
#include "time/saturating.hpp"

#include <algorithm>

namespace waybill::scenario {
namespace {

using settle::action;

handled handled_as(const answer& what, const declaration& declared) {
    handled made;
    switch (what.what) {
        case answer::kind::ack:
        case answer::kind::reply:
            break;
        case answer::kind::drop:
            made.answer = drop();
            break;
        case answer::kind::retry:
            made.answer = retry();
            break;
        case answer::kind::retry_after:
            made.answer = retry_after(what.delay);
            break;
        case answer::kind::throws:
        case answer::kind::throws_number:
            made = by_policy(declared.on_exception, dead_reason::exception);
            break;
        case answer::kind::crash:
            made.how = handled::way::dies;
            break;
    }
    made.takes = what.takes;
    return made;
}

bool goes_on(const handled& what) {
    const auto kind = what.answer.kind();
    return what.how == handled::way::answers &&
           (kind == outcome_kind::retry || kind == outcome_kind::retry_after);
}

/// One message, and what its headers and its broker say of it.
class follower {
public:
    follower(const settle::rules& rule, std::span<const handled> list, bool reads_copies)
        : rule_{rule}, list_{list}, reads_copies_{reads_copies} {}

    course follow() {
        while (!has_ended_) {
            const auto now = situation();
            const auto before = count_;
            if (const auto ends = settle::plan_on_receipt(rule_, now)) {
                take(*ends, now);
                continue;
            }
            const auto& what = list_[std::min<std::size_t>(made_.deliveries, list_.size() - 1)];
            ++made_.deliveries;
            made_.handling = saturating_add(made_.handling, what.takes);
            handle(what, now);
            if (!has_ended_ && made_.deliveries >= list_.size() && goes_round(before)) {
                // What is answered again and again never spins: it waits each time.
                if (what.how == handled::way::answers) made_.waiting = unbounded;
                end(ending::never);
            }
            if (!has_ended_ && made_.deliveries == most_followed) end(ending::not_followed);
        }
        return made_;
    }

private:
    struct count {
        std::uint32_t carried = 0;  ///< by the header
        std::uint32_t counted = 0;  ///< by the broker
        friend bool operator==(const count&, const count&) = default;
    };

    [[nodiscard]] settle::situation situation() const {
        const bool failures = rule_.can.counts == detail::count_support::failures;
        settle::situation now;
        now.attempt = settle::attempt_of(count_.carried, failures ? count_.counted : 0);
        now.counted = count_.counted;
        now.own_history = copies_ != 0;
        return now;
    }

    void end(ending where) {
        made_.end = where;
        has_ended_ = true;
    }

    void handle(const handled& what, const settle::situation& now) {
        switch (what.how) {
            case handled::way::answers: {
                auto decided = settle::plan_settlement(what.answer, rule_, now);
                // A policy's answer in the place of the handler's.
                if (decided.reason == dead_reason::outcome) decided.reason = what.reason;
                return take(decided, now);
            }
            case handled::way::dead_letter:
                return take(settle::spent(rule_, now, what.reason), now);
            case handled::way::dies:
                if (rule_.can.loses == detail::kill_loss::everything) return end(ending::lost);
                if (rule_.can.crash_is_counted) ++count_.counted;
        }
    }

    void take(const settle::plan& decided, const settle::situation& now) {
        made_.waiting = saturating_add(made_.waiting, decided.delay);
        made_.reason =
            decided.reason == dead_reason::outcome ? std::nullopt : std::optional{decided.reason};
        switch (decided.act) {
            case action::accept:
                return end(decided.dropped ? ending::dropped : ending::acked);
            case action::reject:
                return end(ending::rejected);
            case action::requeue:
            case action::requeue_after:
            case action::hold:
                if (rule_.can.requeue == detail::requeue_support::counted) ++count_.counted;
                return;
            case action::copy:
                ++copies_;
                count_ = {decided.unseen ? now.attempt - 1 : now.attempt, 0};
                if (rule_.has_retry_address && !reads_copies_) end(ending::moved);
                return;
            case action::dead_letter:
                return end(ending::dead_letter);
            case action::leave:
            case action::nothing:
                return end(ending::never);
        }
    }

    /// With the same answer again and again: will no count ever reach a limit?
    bool goes_round(const count& before) {
        if (count_ == before) return true;
        if (rule_.cap != 0) return false;
        if (rule_.max_redeliveries == 0 && rule_.can.delivery_limit == 0) return true;
        // Each copy begins the broker's count anew, so what follows the second followed the first.
        if (copies_before_ == 0) copies_before_ = copies_ + 1;
        return copies_ > copies_before_;
    }

    const settle::rules& rule_;
    std::span<const handled> list_;
    bool reads_copies_;
    course made_;
    count count_;
    std::uint64_t copies_ = 0;
    std::uint64_t copies_before_ = 0;
    bool has_ended_ = false;
};

}  // namespace

handled by_policy(const failure_policy& policy, dead_reason reason) {
    if (policy.is_dead_letter()) return {.how = handled::way::dead_letter, .reason = reason};
    return {.answer = policy.answer(), .reason = reason};
}

std::vector<handled> handled_as(const answers& list, const declaration& declared) {
    std::vector<handled> made;
    for (const auto& each : list) made.push_back(handled_as(each, declared));
    return made;
}

std::vector<handled> never_done(const answers& list, const declaration& declared) {
    auto made = handled_as(list, declared);
    for (auto& each : made) {
        if (!goes_on(each)) each = {.answer = retry(), .takes = each.takes};
    }
    return made;
}

course follow(const settle::rules& rule, std::span<const handled> list, bool reads_copies) {
    return follower{rule, list, reads_copies}.follow();
}

}  // namespace waybill::scenario
