// What whoever keeps a book of every message beside the server asks: where each one is.
#include "transport/memory/store.hpp"

#include <utility>

namespace waybill::memory {
namespace {

/// A fan-out reader may be called as a queue is.
std::string marked_name(bool fan_out, std::string_view name) {
    return (fan_out ? "fan-out reader " : "") + std::string{name};
}

std::string marked_name(const backlog& queue) { return marked_name(queue.fan_out, queue.name); }

}  // namespace

std::string queue_name(const source& from, std::string_view identity) {
    return marked_name(from.fan_out, from.fan_out ? identity : std::string_view{from.name});
}

void store::watch_removals(queue_visitor told) {
    const std::lock_guard lock{mutex_};
    removal_watch_ = std::move(told);
}

void store::say_removed(const backlog& from, const entry& message) const {
    if (removal_watch_) removal_watch_(marked_name(from), message);
}

std::vector<std::string> store::targets_of(std::string_view address) {
    const std::lock_guard lock{mutex_};
    std::vector<std::string> names;
    auto& to = routes_.named(address);
    if (!prepare(to)) return names;
    to.for_each_target([&](const backlog* each) { names.push_back(marked_name(*each)); });
    return names;
}

void store::for_each_ready(const queue_visitor& visit) const {
    const std::lock_guard lock{mutex_};
    routes_.for_each_served([&](backlog& queue) {
        const auto name = marked_name(queue);
        queue.ready.for_each([&](const entry& each) { visit(name, each); });
    });
}

void store::remove(std::string_view address, const queue_visitor& visit) {
    endings ended;
    {
        const std::lock_guard lock{mutex_};
        routes_.for_each_served([&](backlog& queue) {
            queue.ready.for_each([&](entry& each) {
                if (each.to->name != address) return;
                visit(marked_name(queue), each);
                leave(queue, each);
                slab_.give(&each);
            });
            admit(queue, ended);
        });
    }
    tell(ended);
}

void store::drain(const queue_visitor& visit) {
    const std::lock_guard lock{mutex_};
    waits_.drain([&](void* item) {
        auto& message = *static_cast<entry*>(item);
        message.home->waiting.take_off(message);
        visit(marked_name(*message.home), message);
        slab_.give(&message);
    });
    routes_.for_each_served([&](backlog& queue) {
        queue.ready.for_each([&](entry& each) { visit(marked_name(queue), each); });
        empty(queue);
    });
}

}  // namespace waybill::memory
