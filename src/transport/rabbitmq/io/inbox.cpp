#include "transport/rabbitmq/io/inbox.hpp"

#include <algorithm>
#include <cstring>

namespace waybill::rabbitmq::io {

// Two frames: a part of one leaves room enough for a read that is worth a system call.
inbox::inbox(std::size_t agreed)
    : agreed_{agreed},
      capacity_{2 * agreed + added_by_servers},
      bytes_{std::make_unique_for_overwrite<std::byte[]>(capacity_)} {}

std::span<std::byte> inbox::room() {
    if (begin_ == end_) {
        begin_ = end_ = 0;
    } else if (capacity_ - end_ < agreed_) {
        std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    return {bytes_.get() + end_, capacity_ - end_};
}

frame_at_front inbox::take() {
    auto front = look_at_front({bytes_.get() + begin_, end_ - begin_}, agreed_ + added_by_servers);
    if (front.is == frame_at_front::state::whole) begin_ += front.size;
    return front;
}

void inbox::hold(const frame& what) {
    held_.push_back({{what.payload.begin(), what.payload.end()}, what.kind, what.channel});
}

// Looked at for every frame, and nearly always empty.
template <class Is>
[[gnu::always_inline]] inline std::optional<inbox::held_frame> inbox::take_first(Is is) {
    const auto found = std::ranges::find_if(held_, is);
    if (found == held_.end()) return std::nullopt;
    std::optional taken{std::move(*found)};
    held_.erase(found);
    return taken;
}

std::optional<inbox::held_frame> inbox::take_held(std::optional<std::uint16_t> of) {
    return take_first([&](const held_frame& one) { return !of || one.channel == *of; });
}

std::optional<inbox::held_frame> inbox::take_held(std::uint16_t of, method_id which) {
    return take_first(
        [&](const held_frame& one) { return one.channel == of && one.view().is(which); });
}

bool inbox::holds(std::optional<std::uint16_t> of) const noexcept {
    return std::ranges::any_of(held_,
                               [&](const held_frame& one) { return !of || one.channel == *of; });
}

void inbox::drop_held(std::uint16_t channel) {
    std::erase_if(held_, [&](const held_frame& one) { return one.channel == channel; });
}

}  // namespace waybill::rabbitmq::io
