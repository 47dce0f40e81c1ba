#include "scenario/law.hpp"

#include <algorithm>

namespace waybill::scenario {

void law::breaks(const in_hand& one, const std::string& what) {
    constexpr std::size_t most = 20;
    if (broken_.size() == most) return;
    broken_.push_back("subscription " + declared(one).name + ": message " + std::to_string(one.id) +
                      ' ' + what);
}

void law::ran(const in_hand& one, nanoseconds now) {
    auto& about = record_of(one);
    const auto& message = record_of_message(one.id);
    check_order(one);
    ++about.runs;
    if (now < about.not_before && !message.is_doubled) {
        breaks(one, "came " + to_text(about.not_before - now) + " before its time");
    }
    about.not_before = nanoseconds{0};
    const auto& cap = declared(one).max_attempts;
    if (!cap || message.is_doubled) return;
    const auto allowed = static_cast<std::uint64_t>(*cap) + about.excused + message.foreign;
    if (about.runs > allowed) {
        breaks(one, "ran " + std::to_string(about.runs) + " times under a cap of " +
                        std::to_string(*cap));
    }
}

bool law::reads_alone(const in_hand& one) const {
    const auto& own = declared(one).from;
    return std::ranges::count_if(told_.subscriptions, [&](const auto& each) {
               return each.declared.from.name == own.name &&
                      each.declared.from.fan_out == own.fan_out;
           }) == 1;
}

/// One lane takes what is new in the order in which it was published to one address.
void law::check_order(const in_hand& one) {
    const auto& about = record_of(one);
    const auto& how = told_.subscriptions[one.subscription];
    if (about.runs != 0 || one.attempt != 1 || how.declared.concurrency != 1) return;
    if (!reads_alone(one)) return;
    if (record_of_message(one.id).foreign != 0 || one.is_foreign) return;
    auto& newest = newest_[{one.subscription, one.queue}];
    const bool is_one_address = one.queue.find_first_of("*>") == std::string::npos;
    if (one.id < newest && is_one_address) {
        breaks(one, "ran after message " + std::to_string(newest) + ", which was published later");
    }
    newest = std::max(newest, one.id);
}

/// Is it right that nothing takes its place?
bool law::may_end(const in_hand& one) const {
    const auto& how = declared(one);
    if (one.answer == in_hand::said::ack || one.answer == in_hand::said::drop) return true;
    if (one.is_foreign && how.skip_foreign_copies) return true;
    const bool is_spent = one.is_exceeded || one.is_foreign || !how.max_attempts ||
                          one.attempt >= static_cast<std::uint64_t>(*how.max_attempts);
    const bool is_over = one.answer != in_hand::said::nothing || one.is_exceeded;
    return !how.dead_letter && is_over && is_spent && how.max_attempts.has_value();
}

void law::settled(const in_hand& one, detail::settle_kind kind, nanoseconds now) {
    using detail::settle_kind;
    const bool ends = kind == settle_kind::accept || kind == settle_kind::reject;
    const bool is_moved = one.is_copied || one.is_dead || one.is_kept;
    auto& about = record_of(one);
    if (ends && !is_moved && !may_end(one)) {
        breaks(one, "was settled for good though nothing safe had taken its place");
    }
    if (kind == settle_kind::release && one.has_run) ++about.excused;
    if (!ends && is_moved) {
        messages_[one.id].is_doubled = true;
    }
    const bool waits = one.answer == in_hand::said::again && one.delay > nanoseconds{0};
    const bool is_again = kind == settle_kind::requeue || one.is_copied || one.is_kept;
    if (waits && is_again) about.not_before = now + std::min(one.delay, nanoseconds::max() - now);
}

void law::fell(const in_hand& one) {
    auto& about = record_of(one);
    if (one.has_run) ++about.excused;
    if (one.is_copied || one.is_dead || one.is_kept) messages_[one.id].is_doubled = true;
}

void law::dead_letter(const in_hand& one) {
    const auto& how = declared(one);
    if (one.answer == in_hand::said::drop) breaks(one, "was dropped, and became a dead letter");
    if (one.answer == in_hand::said::ack) breaks(one, "was acked, and became a dead letter");
    const bool has_reason =
        one.answer == in_hand::said::dead_letter || one.is_exceeded || one.is_foreign;
    const bool is_spent =
        how.max_attempts && one.attempt >= static_cast<std::uint64_t>(*how.max_attempts);
    // What would expire while it waits goes at once.
    const bool may_expire = one.delay > nanoseconds{0};
    if (!has_reason && !is_spent && !may_expire) {
        breaks(one, "became a dead letter at attempt " + std::to_string(one.attempt) +
                        ", which is below the cap");
    }
}

}  // namespace waybill::scenario
