#include <waybill/headers.hpp>

#include <algorithm>
#include <string>

#include "time/delay_store.hpp"
#include "time/saturating.hpp"

namespace waybill::time {
namespace {

constexpr std::chrono::nanoseconds first_pause = std::chrono::milliseconds{100};
constexpr std::chrono::nanoseconds longest_pause = std::chrono::minutes{1};

}  // namespace

/// One copy with its bytes, in the list of all that wait.
struct memory_delay_store::waiting_copy final : timer_task {
    waiting_copy(memory_delay_store& store, const outgoing_view& message,
                 std::chrono::nanoseconds due_at)
        : owner{&store},
          due{due_at},
          address{message.address},
          payload{message.payload.begin(), message.payload.end()},
          packed{message.packed_headers.begin(), message.packed_headers.end()} {}

    void fire() noexcept override { owner->publish_due(*this); }
    [[nodiscard]] outgoing_view view() const noexcept { return {address, payload, packed}; }

    memory_delay_store* owner;
    waiting_copy* next = nullptr;
    waiting_copy* previous = nullptr;
    std::chrono::nanoseconds due;
    std::chrono::nanoseconds pause = first_pause;
    bool flushed = false;
    std::string address;
    std::vector<std::byte> payload;
    std::vector<std::byte> packed;
};

memory_delay_store::memory_delay_store(detail::transport& to, timers& wakes,
                                       std::shared_ptr<clock> time)
    : to_{to}, wakes_{wakes}, time_{std::move(time)} {}

memory_delay_store::~memory_delay_store() {
    while (first_ != nullptr) delete std::exchange(first_, first_->next);
}

detail::publish_status memory_delay_store::put(const outgoing_view& message) {
    const auto now = time_->now();
    auto copy = std::make_unique<waiting_copy>(*this, message,
                                               saturating_add(now, message.delay));
    {
        const std::lock_guard lock{mutex_};
        // Nobody would flush it any more; its original comes again.
        if (flushed_) return detail::publish_status::lost;
        copy->next = first_;
        if (first_ != nullptr) first_->previous = copy.get();
        first_ = copy.get();
        ++count_;
    }
    wakes_.arm(now, message.delay, *copy.release());
    return detail::publish_status::confirmed;
}

void memory_delay_store::forget(waiting_copy& copy) noexcept {
    {
        const std::lock_guard lock{mutex_};
        if (copy.previous != nullptr) copy.previous->next = copy.next;
        if (copy.next != nullptr) copy.next->previous = copy.previous;
        if (first_ == &copy) first_ = copy.next;
        --count_;
    }
    delete &copy;
}

void memory_delay_store::publish_due(waiting_copy& copy) noexcept {
    if (copy.flushed || to_.publish(copy.view(), nullptr) == detail::publish_status::confirmed) {
        return forget(copy);
    }
    wakes_.arm(time_->now(), copy.pause, copy);
    copy.pause = std::min(copy.pause * 2, longest_pause);
}

std::size_t memory_delay_store::waiting() const {
    const std::lock_guard lock{mutex_};
    return count_;
}

std::size_t memory_delay_store::flush() {
    const std::lock_guard lock{mutex_};
    flushed_ = true;
    std::vector<waiting_copy*> all;
    for (auto* copy = first_; copy != nullptr; copy = copy->next) {
        if (!copy->flushed) all.push_back(copy);
    }
    std::ranges::sort(all, {}, [](const waiting_copy* copy) { return copy->due; });
    std::size_t lost = 0;
    for (auto* copy : all) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            std::max(copy->due - time_->now(), std::chrono::nanoseconds{0}));
        auto with_due = headers{headers::borrow(copy->packed)};
        if (left > left.zero()) {
            with_due.append(known_header::due,
                            std::string_view{std::to_string((time_->wall() + left).count())});
        }
        const outgoing_view message{copy->address, copy->payload, with_due.packed()};
        copy->flushed = to_.publish(message, nullptr) == detail::publish_status::confirmed;
        if (!copy->flushed) ++lost;
    }
    return lost;
}

}  // namespace waybill::time
