#include "scenario/law.hpp"

#include <algorithm>
#include <utility>

namespace waybill::scenario {

void law::breaks(const in_hand& one, const std::string& what) {
    constexpr std::size_t most = 20;
    if (broken_.size() == most) return;
    broken_.push_back("subscription " + declared(one).name + ": message " + std::to_string(one.id) +
                      ' ' + what);
}

void law::ran(const in_hand& one, nanoseconds now) {
    // A copy of another reader's has one attempt, beside those of the message itself.
    if (one.is_foreign) return;
    auto& about = record_of(one);
    check_order(one, about);
    ++about.runs;
    const auto not_before = std::exchange(about.not_before, nanoseconds{0});
    if (doubled_.contains(one.id)) return;
    if (now < not_before) breaks(one, "came " + to_text(not_before - now) + " before its time");
    const auto& cap = declared(one).max_attempts;
    // Only what is capped has to count, and a competing reader may be.
    if (!cap) ++about.excused;
    if (cap && about.runs > static_cast<std::uint64_t>(*cap) + about.excused) {
        breaks(one, "ran " + std::to_string(about.runs) + " times under a cap of " +
                        std::to_string(*cap));
    }
}

bool law::has_competitors(const in_hand& one) const {
    return std::ranges::count_if(told_.subscriptions, [&](const auto& each) {
               return each.declared.from.name == declared(one).from.name;
           }) > 1;
}

/// One lane runs what it has not run before in the order in which it was published to one address:
/// what comes back unseen stands before what came later.
void law::check_order(const in_hand& one, const record& about) {
    const bool is_one_lane = declared(one).concurrency == 1;
    const bool is_one_address = one.queue.find_first_of("*>") == std::string::npos;
    // What comes back may have been in a competing reader's hand before, while later ones ran here.
    // Some came back from a connection before anybody took them: of these the broker's count knows.
    const auto returns = std::max<std::uint64_t>(about.returns, one.counted);
    const bool has_place = one.is_ordered && returns <= returns_in_place_ &&
                           !(one.is_redelivered && has_competitors(one));
    const bool is_first = about.runs == 0 && !one.brings_count;
    if (!has_place || !is_first || !is_one_lane || !is_one_address) return;
    auto& newest = newest_[{one.subscription, one.queue}];
    if (one.id < newest) {
        breaks(one, "ran after message " + std::to_string(newest) + ", which was published later");
    }
    newest = std::max(newest, one.id);
}

/// Are there no attempts left, or no time for them?
bool law::is_spent(const in_hand& one) const {
    const auto& cap = declared(one).max_attempts;
    return one.is_exceeded || one.is_foreign || one.is_expiring ||
           (cap && one.attempt >= static_cast<std::uint64_t>(*cap));
}

/// Is it right that nothing takes its place?
bool law::may_end(const in_hand& one) const {
    const auto& how = declared(one);
    if (one.answer == in_hand::said::ack || one.answer == in_hand::said::drop) return true;
    if (one.is_foreign && how.skip_foreign_copies) return true;
    const bool is_over = one.answer != in_hand::said::nothing || one.is_exceeded;
    return !how.dead_letter && is_over && is_spent(one);
}

void law::settled(const in_hand& one, detail::settle_kind kind, nanoseconds now) {
    using detail::settle_kind;
    const bool ends = kind == settle_kind::accept || kind == settle_kind::reject;
    const bool is_moved = one.is_copied || one.is_dead || one.kept != 0;
    auto& about = record_of(one);
    if (ends && !is_moved && !may_end(one)) {
        breaks(one, "was settled for good though nothing safe had taken its place");
    }
    const bool is_again =
        !one.is_dead && (kind == settle_kind::requeue || one.is_copied || one.kept != 0);
    if (one.answer == in_hand::said::again && is_again && is_spent(one)) {
        breaks(one,
               "was to come again, though it was spent at attempt " + std::to_string(one.attempt));
    }
    if (kind == settle_kind::release || kind == settle_kind::requeue) ++about.returns;
    if (kind == settle_kind::release && one.has_run) ++about.excused;
    if (!ends && is_moved) doubled(one.id);
    const bool waits = one.answer == in_hand::said::again && one.delay > nanoseconds{0};
    if (waits && is_again) about.not_before = now + std::min(one.delay, nanoseconds::max() - now);
}

void law::fell(const in_hand& one) {
    auto& about = record_of(one);
    ++about.returns;
    if (one.has_run) ++about.excused;
    if (one.is_copied || one.is_dead || one.kept != 0) doubled(one.id);
}

void law::exceeded(const in_hand& one) {
    const auto& cap = declared(one).max_attempts;
    const bool is_over = cap && one.attempt > static_cast<std::uint64_t>(*cap);
    if (is_over || one.is_redelivered || one.expires_at_ms != 0) return;
    breaks(one,
           "ended on receipt at attempt " + std::to_string(one.attempt) + ", and nothing was over");
}

void law::dead_letter(const in_hand& one) {
    if (one.answer == in_hand::said::drop) breaks(one, "was dropped, and became a dead letter");
    if (one.answer == in_hand::said::ack) breaks(one, "was acked, and became a dead letter");
    if (one.answer != in_hand::said::dead_letter && !is_spent(one)) {
        breaks(one, "became a dead letter at attempt " + std::to_string(one.attempt) +
                        ", which is below the cap");
    }
}

}  // namespace waybill::scenario
