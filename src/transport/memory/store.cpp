// Connections, time, and what tests and people ask.
#include "transport/memory/store.hpp"

#include "transport/memory/pattern.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace waybill::memory {

using detail::publish_status;

store::store(const options& how)
    : how_{how},
      most_returns_{how.counts == counting::none || how.delivery_limit == 0 ? UINT32_MAX
                                                                            : how.delivery_limit} {
    outside_.time = real_clock();
}

store::~store() {
    const auto give = [this](entry& each) { slab_.give(&each); };
    routes_.for_each_queue([&](backlog& each) { each.ready.for_each(give); });
    waits_.drain([&](void* item) { give(*static_cast<entry*>(item)); });
    orphans_.for_each(give);
}

void store::tell(const endings& all) noexcept {
    for (const auto& each : all) {
        each.ticket->published(each.status);
        if (each.by->being_told.fetch_sub(1) == 1) each.by->being_told.notify_all();
    }
    tell_hosts();
}

void store::tell_hosts() noexcept {
    if (!is_sooner_.load(std::memory_order_relaxed) || !is_sooner_.exchange(false)) return;
    // Held while they are told: none of them may leave meanwhile.
    const std::lock_guard lock{hosts_mutex_};
    for (auto* each : hosts_) each->timer_changed();
}

// ---- what is declared --------------------------------------------------------------------------

void store::declare(std::string_view name) {
    const std::lock_guard lock{mutex_};
    bool is_new = false;
    routes_.serve(name, name, false, is_new);
}

void store::limit(std::string_view address, const limits& at) {
    endings ended;
    {
        const std::lock_guard lock{mutex_};
        auto& to = routes_.named(address);
        limits_[to.name] = at;
        routes::forget(to);
        end_hopeless(to, ended);
    }
    tell(ended);
}

void store::retain(std::string_view address, const retention& how) {
    endings ended;
    {
        const std::lock_guard lock{mutex_};
        auto& to = routes_.named(address);
        retentions_[to.name] = how;
        routes::forget(to);
        if (prepare(to)) {
            to.for_each_target([&](backlog* each) { renew_ages(*each, to); });
            if (to.history) renew_ages(*to.history, to);
        }
        if (to.keep != nullptr) {
            to.for_each_target([&](backlog* each) { enforce(*each, to, ended); });
            enforce(*to.history, to, ended);
        }
    }
    tell(ended);
}

// ---- readers -----------------------------------------------------------------------------------

std::unique_ptr<reader> store::open(const source& from, std::string_view identity,
                                    detail::consumer_listener& listener, client& by) {
    endings ended;
    std::unique_ptr<reader> opened;
    {
        const std::lock_guard lock{mutex_};
        bool is_new = false;
        auto& reads = routes_.serve(from.fan_out ? identity : std::string_view{from.name},
                                    from.name, from.fan_out, is_new);
        opened = std::make_unique<reader>(reads, listener, by);
        reads.readers.push_back(opened.get());
        opened->place_ = readers_.insert(readers_.end(), opened.get());
        ++by.reading;
        if (!from.fan_out && is_pattern(from.name)) {
            routes_.adopt(from.name, [&](backlog& kept) {
                kept.ready.for_each([&](entry& each) {
                    leave(kept, each);
                    enter(reads, each);
                });
            });
        }
        if (is_new && from.from_oldest) catch_up(reads);
        admit_everywhere(ended);
    }
    tell(ended);
    return opened;
}

void store::cancel(reader& from) noexcept {
    endings ended;
    {
        const std::lock_guard lock{mutex_};
        if (std::exchange(from.cancelled_, true)) return;
        auto& by = *from.by_;
        if (--by.reading == 0) {
            by.leaves = true;
            end_held(by, false, ended);
        }
    }
    tell(ended);
}

void store::close(reader& from) noexcept {
    endings ended;
    {
        const std::lock_guard lock{mutex_};
        return_hand(from, false);
        if (!std::exchange(from.cancelled_, true)) --from.by_->reading;
        std::erase(from.from_->readers, &from);
        readers_.erase(from.place_);
        // The delivery limit may have dropped some.
        admit(*from.from_, ended);
    }
    tell(ended);
}

void store::connect(client& by) {
    {
        const std::lock_guard lock{mutex_};
        outside_.time = by.time;
        if (!by.host->is_driven_by_hand()) ++self_driven_;
    }
    const std::lock_guard lock{hosts_mutex_};
    hosts_.push_back(by.host);
}

void store::disconnect(client& by) noexcept {
    endings ended;
    {
        const std::lock_guard lock{mutex_};
        by.leaves = true;
        for (auto* each : readers_) {
            if (each->by_ != &by) continue;
            if (!std::exchange(each->cancelled_, true)) --by.reading;
            return_hand(*each, false);
        }
        end_held(by, true, ended);
        if (!by.host->is_driven_by_hand() && --self_driven_ == 0) end_held(outside_, true, ended);
    }
    tell(ended);
    // Another thread may have let some in and be about to say so.
    for (auto left = by.being_told.load(); left != 0; left = by.being_told.load()) {
        by.being_told.wait(left);
    }
    const std::lock_guard lock{hosts_mutex_};
    if (std::erase(hosts_, by.host) == 0) return;
    for (auto* each : hosts_) each->timer_changed();
}

void store::drop_connections() {
    endings ended;
    {
        const std::lock_guard lock{mutex_};
        for (auto* each : readers_) return_hand(*each, true);
        lose_held_of_readers(ended);
    }
    tell(ended);
}

void store::crash() {
    endings ended;
    {
        const std::lock_guard lock{mutex_};
        for (auto* each : readers_) return_hand(*each, true);
        if (!how_.outlives_crash) {
            routes_.for_each_queue([this](backlog& each) { empty(each); });
            waits_.drain([&](void* item) {
                auto& message = *static_cast<entry*>(item);
                message.home->waiting.take_off(message);
                slab_.give(&message);
            });
        }
        // What waited for room died with who published it.
        lose_held_of_readers(ended);
        admit_everywhere(ended);
    }
    tell(ended);
}

// ---- time --------------------------------------------------------------------------------------

std::optional<nanoseconds> store::next_due() const {
    const std::lock_guard lock{mutex_};
    const auto waits = waits_.next_due();
    const auto leaves = leaving_.next_due();
    soonest_ = std::min(waits.value_or(nanoseconds::max()), leaves.value_or(nanoseconds::max()));
    if (soonest_ == nanoseconds::max()) return std::nullopt;
    return soonest_;
}

std::size_t store::tick(nanoseconds now, std::size_t limit) {
    endings ended;
    std::size_t fired = 0;
    {
        const std::lock_guard lock{mutex_};
        fired = arrive(now, limit, ended);
        fired += expire(now, limit - fired, ended);
    }
    tell(ended);
    return fired;
}

/// What one arrival lets in may be armed anew, which the wheel forbids while it fires: so a few are
/// taken out at a time.
std::size_t store::arrive(nanoseconds now, std::size_t limit, endings& ended) {
    struct fired {
        entry* message;
        nanoseconds due;
    };
    std::array<fired, 64> some;
    std::size_t total = 0;
    while (total < limit) {
        std::size_t count = 0;
        waits_.expire(
            now,
            [&](void* item, nanoseconds due) { some[count++] = {static_cast<entry*>(item), due}; },
            std::min(some.size(), limit - total));
        if (count == 0) break;
        for (const auto& [message, due] : std::span{some}.first(count)) {
            arrived(*message, due, ended);
        }
        total += count;
    }
    return total;
}

// ---- what tests and people ask -----------------------------------------------------------------

std::size_t store::queued(std::string_view name) const {
    const std::lock_guard lock{mutex_};
    const auto* found = routes_.find(name);
    return found != nullptr ? found->count : 0;
}

std::size_t store::unsettled() const {
    const std::lock_guard lock{mutex_};
    std::size_t count = 0;
    for (const auto* each : readers_) count += each->in_hand_;
    return count;
}

std::size_t store::waiting() const {
    const std::lock_guard lock{mutex_};
    return waits_.size();
}

removals store::removed() const {
    const std::lock_guard lock{mutex_};
    return removed_;
}

}  // namespace waybill::memory
