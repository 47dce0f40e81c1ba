#include "time/timer_buckets.hpp"

#include "time/timer_sort.hpp"

#include <algorithm>
#include <utility>

namespace waybill {

namespace {

// An object, not a function: the algorithms inline its call.
constexpr auto fires_after = [](const timer_entry& a, const timer_entry& b) {
    return fires_before(b, a);
};

constexpr std::uint64_t below(unsigned level, unsigned digit_bits) noexcept {
    return (std::uint64_t{1} << (level * digit_bits)) - 1;
}

void free_beyond(std::size_t capacity, std::vector<timer_entry>& entries) noexcept {
    if (entries.capacity() > capacity) entries = std::vector<timer_entry>{};
}

}  // namespace

timer_buckets::~timer_buckets() {
    for (auto& level : buckets_) {
        for (bucket& b : level) b.entries.release(pool_);
    }
}

std::optional<std::uint64_t> timer_buckets::first_key() const noexcept {
    if (!near_empty()) return near_front().key;
    if (levels_ == 0) return std::nullopt;
    const position first = first_bucket();
    return buckets_[first.level][first.slot].min;
}

const timer_entry* timer_buckets::front(std::uint64_t now) {
    if (near_empty()) {
        const auto first = first_key();
        if (!first || *first > now) return nullptr;
        refill();
    }
    const timer_entry& first = near_front();
    return first.key <= now ? &first : nullptr;
}

timer_run timer_buckets::run(const timer_entry& bound, std::size_t limit) const noexcept {
    const std::span<const timer_entry> sorted{sorted_.begin() + static_cast<std::ptrdiff_t>(next_),
                                              sorted_.end()};
    if (&near_front() != sorted.data()) return {{late_.data(), 1}, std::min<std::size_t>(limit, 1)};
    const timer_entry& end =
        !late_.empty() && fires_before(late_.front(), bound) ? late_.front() : bound;
    const std::size_t most = std::min(limit, sorted.size());
    std::size_t count = 0;
    while (count < most && fires_before(sorted[count], end)) ++count;
    return {sorted, count};
}

void timer_buckets::pop(std::size_t count) noexcept {
    if (next_ == sorted_.size() || &near_front() != &sorted_[next_]) {
        std::pop_heap(late_.begin(), late_.end(), fires_after);
        late_.pop_back();
        if (late_.empty()) {
            free_beyond(2 * late_limit, late_);
            spill_at_ = late_limit;
        }
        return;
    }
    next_ += count;
    if (next_ == sorted_.size()) clear_sorted();
}

void timer_buckets::clear_sorted() noexcept {
    next_ = 0;
    sorted_.clear();
    free_beyond(sort_limit, sorted_);
    free_beyond(sort_limit, scratch_);
}

std::size_t timer_buckets::bytes() const noexcept {
    return (sorted_.capacity() + scratch_.capacity() + late_.capacity()) * sizeof(timer_entry);
}

const timer_entry& timer_buckets::near_front() const noexcept {
    if (next_ == sorted_.size()) return late_.front();
    if (late_.empty() || fires_before(sorted_[next_], late_.front())) return sorted_[next_];
    return late_.front();
}

timer_buckets::position timer_buckets::first_bucket() const noexcept {
    const auto level = static_cast<unsigned>(std::countr_zero(levels_));
    return {level, static_cast<unsigned>(std::countr_zero(slots_[level]))};
}

void timer_buckets::push_near(const timer_entry& entry) {
    late_.push_back(entry);
    std::push_heap(late_.begin(), late_.end(), fires_after);
    if (late_.size() > spill_at_) spill();
}

/// Makes the first bucket the near part. A large one is dealt out from its earliest entry on, and
/// only what is due with that is near.
void timer_buckets::refill() noexcept {
    const position first = first_bucket();
    bucket taken = std::exchange(buckets_[first.level][first.slot], {});
    slots_[first.level] &= slots_[first.level] - 1;
    if (slots_[first.level] == 0) levels_ &= levels_ - 1;

    const bool whole = taken.size <= sort_limit || first.level == 0;
    base_ = whole ? taken.min | below(first.level, digit_bits) : taken.min;
    if (whole) sorted_.reserve(taken.size);
    while (!taken.entries.empty()) {
        taken.entries.prefetch_next();
        const auto entries = taken.entries.front();
        for (const timer_entry& entry : entries) {
            if (entry.key <= base_) {
                sorted_.push_back(entry);
            } else {
                place(entry);
            }
        }
        taken.entries.pop(pool_, entries.size());
    }
    sort_timers(sorted_, scratch_);
}

/// Shortens the near part when much is armed into it, so that its heap stays small. `base_` may
/// fall to any time that shares its digits from the lowest level in use on: for what lies in the
/// buckets nothing changes.
void timer_buckets::spill() noexcept {
    std::uint64_t base = near_front().key;
    if (levels_ != 0) base = std::max(base, base_ & ~below(first_bucket().level, digit_bits));
    base_ = base;

    while (sorted_.size() > next_ && sorted_.back().key > base) {
        place(sorted_.back());
        sorted_.pop_back();
    }
    if (next_ == sorted_.size()) clear_sorted();
    const auto far = std::partition(late_.begin(), late_.end(),
                                    [base](const timer_entry& e) { return e.key <= base; });
    std::for_each(far, late_.end(), [this](const timer_entry& e) { place(e); });
    late_.erase(far, late_.end());
    std::make_heap(late_.begin(), late_.end(), fires_after);
    spill_at_ = std::max(late_limit, 2 * late_.size());
}

}  // namespace waybill
