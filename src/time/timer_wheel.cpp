#include "time/timer_wheel.hpp"

#include "time/saturating.hpp"

namespace waybill {

void timer_wheel::arm(std::chrono::nanoseconds now, std::chrono::nanoseconds delay, void* item) {
    const std::uint64_t key = key_of(saturating_add(now, delay));
    const timer_entry entry{key, armed_++, item};
    if (!lanes_.offer(delay.count(), entry)) {
        if (buckets_.empty()) buckets_.rebase(key_of(now));
        buckets_.push(entry);
    }
    ++size_;
}

void timer_wheel::arm_at(std::chrono::nanoseconds due, void* item) {
    buckets_.push({key_of(due), armed_++, item});
    ++size_;
}

std::optional<std::chrono::nanoseconds> timer_wheel::next_due() const noexcept {
    const timer_entry* const lane = lanes_.front();
    const auto bucket = buckets_.first_key();
    if (lane == nullptr && !bucket) return std::nullopt;
    return due_of(std::min(lane != nullptr ? lane->key : UINT64_MAX, bucket.value_or(UINT64_MAX)));
}

std::size_t timer_wheel::bytes() const noexcept {
    return sizeof(*this) + pool_.bytes() + buckets_.bytes();
}

timer_wheel::due_run timer_wheel::next_run(std::uint64_t now, std::size_t limit) {
    const timer_entry at_now{now, UINT64_MAX, nullptr};
    const timer_entry* lane = lanes_.front();
    if (lane != nullptr && lane->key > now) lane = nullptr;
    const timer_entry* const bucket = buckets_.front(now);
    if (bucket != nullptr && (lane == nullptr || fires_before(*bucket, *lane))) {
        return {buckets_.run(lane != nullptr ? *lane : at_now, limit), source::buckets};
    }
    if (lane == nullptr) return {};
    return {lanes_.run(bucket != nullptr ? *bucket : at_now, limit), source::lanes};
}

void timer_wheel::pop(source from, std::size_t count) noexcept {
    size_ -= count;
    if (from == source::lanes) {
        lanes_.pop(count);
    } else {
        buckets_.pop(count);
    }
}

}  // namespace waybill
