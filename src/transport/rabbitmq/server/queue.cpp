#include "transport/rabbitmq/server/queue.hpp"

#include <algorithm>

namespace waybill::rabbitmq::fake {
namespace {

constexpr int returned_band = -1000;

}  // namespace

bool queue::is_refusing(std::size_t body_size) const noexcept {
    if (policy.when_full == overflows::drop_head) return false;
    // A quorum queue notices that it is full when it is above its limit.
    if (policy.type == kind::quorum)
        return (policy.most_messages && size() > *policy.most_messages) ||
               (policy.most_bytes && bytes_ > *policy.most_bytes);
    return (policy.most_messages && size() + 1 > *policy.most_messages) ||
           (policy.most_bytes && bytes_ + body_size > *policy.most_bytes);
}

bool queue::is_above_limit() const noexcept {
    if (policy.when_full != overflows::drop_head || is_empty()) return false;
    return (policy.most_messages && size() > *policy.most_messages) ||
           (policy.most_bytes && bytes_ > *policy.most_bytes);
}

int queue::band_of(const message& what) const noexcept {
    return -static_cast<int>(std::min(what.priority, policy.most_priority));
}

void queue::insert(position at, entry one) {
    bytes_ += one.what->body.size();
    ready_.emplace(at, std::move(one));
}

void queue::add(message_ptr what, nanoseconds now) {
    auto life = policy.time_to_live;
    if (what->time_to_live) life = life ? std::min(*life, *what->time_to_live) : what->time_to_live;
    entry one{std::move(what)};
    if (life && *life < nanoseconds::max() - now) one.due = now + *life;
    one.place = next_place_++;
    const position at{band_of(*one.what), one.place};
    insert(at, std::move(one));
}

entry queue::take_front() {
    auto first = std::move(ready_.begin()->second);
    ready_.erase(ready_.begin());
    bytes_ -= first.what->body.size();
    return first;
}

void queue::put_back(entry returned, comeback how, server_version version) {
    if (policy.type != kind::quorum) {
        const position at{band_of(*returned.what), returned.place};
        insert(at, std::move(returned));
        return;
    }
    const bool to_end =
        !policy.delivery_limit && how != comeback::lost && version != server_version::v4_3;
    if (to_end) {
        returned.place = next_place_++;
        const position at{band_of(*returned.what), returned.place};
        insert(at, std::move(returned));
    } else {
        insert({returned_band, next_return_++}, std::move(returned));
    }
}

consumer* queue::next_taker() {
    if (policy.has_single_active_consumer)
        return active_ != nullptr && active_->has_room() ? active_ : nullptr;
    for (auto at = consumers.begin(); at != consumers.end(); ++at) {
        auto& one = **at;
        if (!one.has_room()) continue;
        const auto behind = std::find_if(std::next(at), consumers.end(), [&](const auto& each) {
            return each->priority < one.priority;
        });
        consumers.splice(behind, consumers, at);
        return &one;
    }
    return nullptr;
}

consumer& queue::add_consumer(std::unique_ptr<consumer> one) {
    auto& added = *one;
    const auto behind = std::ranges::find_if(
        consumers, [&](const auto& each) { return each->priority < added.priority; });
    consumers.insert(behind, std::move(one));
    if (active_ == nullptr) active_ = &added;
    had_consumer = true;
    unused_until.reset();
    return added;
}

void queue::remove_consumer(const consumer& one) {
    const bool was_active = active_ == &one;
    std::erase_if(consumers, [&](const auto& each) { return each.get() == &one; });
    if (was_active) active_ = consumers.empty() ? nullptr : consumers.front().get();
}

bool queue::has_exclusive_consumer() const noexcept {
    return std::ranges::any_of(consumers, [](const auto& each) { return each->is_exclusive; });
}

}  // namespace waybill::rabbitmq::fake
