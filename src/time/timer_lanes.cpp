#include "time/timer_lanes.hpp"

#include <algorithm>
#include <utility>

namespace waybill {

timer_lanes::~timer_lanes() {
    for (lane& l : lanes_) l.entries.release(pool_);
}

bool timer_lanes::offer(std::int64_t delay, const timer_entry& entry) {
    lane* const l = lane_for(delay);
    if (l == nullptr) return false;
    const bool was_empty = l->entries.empty();
    if (!was_empty && entry.key < l->last_key) return false;
    l->entries.push(pool_, entry);
    l->last_key = entry.key;
    if (was_empty) {
        heads_[waiting_] = {entry, l};
        rise(waiting_++);
    }
    return true;
}

timer_run timer_lanes::run(const timer_entry& bound, std::size_t limit) const noexcept {
    timer_entry end = bound;
    for (std::size_t i = 1; i <= 2 && i < waiting_; ++i) {
        if (fires_before(heads_[i].first, end)) end = heads_[i].first;
    }
    const auto all = heads_[0].owner->entries.front();
    const std::size_t most = std::min(limit, all.size());
    std::size_t count = 0;
    while (count < most && fires_before(all[count], end)) ++count;
    return {all, count};
}

void timer_lanes::pop(std::size_t count) noexcept {
    lane* const l = heads_[0].owner;
    l->entries.pop(pool_, count);
    if (l->entries.empty()) {
        heads_[0] = heads_[--waiting_];
    } else {
        heads_[0].first = l->entries.front().front();
    }
    sink(0);
}

timer_lanes::lane* timer_lanes::lane_for(std::int64_t delay) noexcept {
    const auto hash = static_cast<std::uint64_t>(delay) * 0x9E3779B97F4A7C15U;
    const std::size_t set = (hash >> (64 - set_bits)) * ways;
    for (std::size_t i = set; i < set + ways; ++i) {
        candidate& c = candidates_[i];
        if (c.delay != delay) continue;
        if (c.owner != nullptr) return c.owner;
        if (c.hits == 0) continue;
        return ++c.hits < hits_for_a_lane ? nullptr : claim(i);
    }
    return miss(set, delay);
}

/// A stranger wears down the least used candidate of its set, and takes its place at 0: delays that
/// never repeat cannot keep out one that does.
timer_lanes::lane* timer_lanes::miss(std::size_t set, std::int64_t delay) noexcept {
    candidate* victim = nullptr;
    for (std::size_t i = set; i < set + ways; ++i) {
        candidate& c = candidates_[i];
        if (c.owner != nullptr) continue;
        if (victim == nullptr || c.hits < victim->hits) victim = &c;
    }
    if (victim == nullptr) return nullptr;
    if (victim->hits > 0) {
        --victim->hits;
    } else {
        *victim = {delay, 1, nullptr};
    }
    return nullptr;
}

timer_lanes::lane* timer_lanes::claim(std::size_t index) noexcept {
    candidate& c = candidates_[index];
    lane* found = nullptr;
    if (made_ < max_lanes) {
        found = &lanes_[made_++];
    } else {
        for (lane& l : lanes_) {
            if (l.entries.empty()) found = &l;
        }
        if (found == nullptr) {
            c.hits = 1;  // asks again after a few more uses
            return nullptr;
        }
        candidates_[found->candidate] = {};
    }
    found->candidate = static_cast<std::uint32_t>(index);
    c.owner = found;
    return found;
}

void timer_lanes::rise(std::size_t at) noexcept {
    while (at > 0) {
        const std::size_t parent = (at - 1) / 2;
        if (!fires_before(heads_[at].first, heads_[parent].first)) return;
        std::swap(heads_[at], heads_[parent]);
        at = parent;
    }
}

void timer_lanes::sink(std::size_t at) noexcept {
    for (;;) {
        std::size_t least = at;
        for (std::size_t child = 2 * at + 1; child <= 2 * at + 2 && child < waiting_; ++child) {
            if (fires_before(heads_[child].first, heads_[least].first)) least = child;
        }
        if (least == at) return;
        std::swap(heads_[at], heads_[least]);
        at = least;
    }
}

}  // namespace waybill
