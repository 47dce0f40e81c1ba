#include "transport/rabbitmq/server/vhost.hpp"

#include "transport/rabbitmq/server/refusals.hpp"
#include "transport/rabbitmq/server/table.hpp"

#include <algorithm>
#include <utility>

namespace waybill::rabbitmq::fake {
namespace {

/// A quorum queue gives no consumer more than that at once.
constexpr std::uint16_t most_of_quorum = 2000;

queue_state state_of(const queue& of) {
    return {static_cast<std::uint32_t>(of.size()), static_cast<std::uint32_t>(of.consumers.size())};
}

}  // namespace

vhost::vhost(std::string name, const surroundings& in)
    : name_{std::move(name)}, in_{in}, exchanges_{name_} {}

queue* vhost::find(std::string_view name) const {
    const auto found = queues_.find(name);
    return found == queues_.end() ? nullptr : found->second.get();
}

std::expected<queue_state, refusal> vhost::declare(const queue_spec& what, bool passive,
                                                   connection* by) {
    auto* current = find(what.name);
    if (current != nullptr && current->owner != nullptr && current->owner != by)
        return std::unexpected(resource_locked(what.name, name_));
    if (passive) {
        if (current == nullptr) return std::unexpected(not_found("queue", what.name, name_));
    } else if (current != nullptr) {
        if (auto other = difference(current->spec, what, name_, version()))
            return std::unexpected(std::move(*other));
    } else {
        if (what.name.starts_with("amq.")) {
            return std::unexpected(
                access_refused("queue name '" + what.name + "' contains reserved prefix 'amq.*'"));
        }
        auto policy = policy_of(what, name_, in_.how);
        if (!policy) return std::unexpected(std::move(policy.error()));
        auto made = std::make_unique<queue>(what, std::move(*policy), what.exclusive ? by : nullptr,
                                            next_serial_++);
        current = queues_.emplace(what.name, std::move(made)).first->second.get();
    }
    note_unused(*current);
    note_due(*current);
    return state_of(*current);
}

std::expected<void, refusal> vhost::declare(const exchange_spec& what, bool passive) {
    return exchanges_.declare(what, passive, version() != server_version::v3_10);
}

std::expected<void, refusal> vhost::bind_queue(std::string_view queue, std::string_view from,
                                               std::string_view key, const headers& arguments,
                                               const connection* by) {
    const auto* to = find(queue);
    if (from.empty()) return exchanges_.bind(queue, true, from, key, arguments);
    if (to == nullptr) return std::unexpected(not_found("queue", queue, name_));
    if (to->owner != nullptr && to->owner != by)
        return std::unexpected(resource_locked(queue, name_));
    return exchanges_.bind(queue, true, from, key, arguments);
}

std::expected<void, refusal> vhost::bind_exchange(std::string_view to, std::string_view from,
                                                  std::string_view key, const headers& arguments) {
    return exchanges_.bind(to, false, from, key, arguments);
}

std::expected<std::uint32_t, refusal> vhost::delete_queue(std::string_view name, bool if_unused,
                                                          bool if_empty, const connection* by) {
    auto* gone = find(name);
    if (gone == nullptr) return 0;
    if (gone->owner != nullptr && gone->owner != by)
        return std::unexpected(resource_locked(name, name_));
    const auto which = named("queue", name, name_);
    if (gone->policy.type == kind::quorum && (if_unused || if_empty)) {
        return std::unexpected(not_implemented("cannot delete " + which +
                                               ". queue.delete operations with " +
                                               (if_unused ? "if-unused" : "if-empty") +
                                               " flag set are not supported by quorum queues"));
    }
    if (if_unused && !gone->consumers.empty())
        return std::unexpected(precondition_failed(which + " in use"));
    if (if_empty && !gone->is_empty())
        return std::unexpected(precondition_failed(which + " not empty"));
    const auto held = static_cast<std::uint32_t>(gone->size());
    remove(*gone);
    return held;
}

std::expected<consumer*, refusal> vhost::consume(channel& by, std::string_view name,
                                                 std::string_view tag, bool exclusive,
                                                 const headers& arguments) {
    auto* from = find(name);
    if (from == nullptr) return std::unexpected(not_found("queue", name, name_));
    if (from->owner != nullptr && from->owner != by.of)
        return std::unexpected(resource_locked(name, name_));
    if (by.consumers.contains(tag)) {
        return std::unexpected(
            refusal{530, "NOT_ALLOWED - attempt to reuse consumer tag '" + std::string{tag} + "'"});
    }
    if (from->policy.type == kind::stream) {
        return std::unexpected(not_implemented("consuming of " + named("queue", name, name_) +
                                               " is not there in the fake server: it is a stream"));
    }
    const bool heeds_exclusive = from->policy.type == kind::classic;
    if (heeds_exclusive &&
        (from->has_exclusive_consumer() || (exclusive && !from->consumers.empty()))) {
        return std::unexpected(access_refused(named("queue", name, name_) + " in exclusive use"));
    }
    const auto priority = find_exact(arguments, "x-priority");
    auto one = std::make_unique<consumer>();
    one->of = &by;
    one->from = from;
    one->tag = tag;
    one->prefetch = by.prefetch;
    if (from->policy.type == kind::quorum && (by.prefetch == 0 || by.prefetch > most_of_quorum))
        one->prefetch = most_of_quorum;
    one->priority = priority ? priority->integer().value_or(0) : 0;
    one->is_exclusive = exclusive && heeds_exclusive;
    auto& added = from->add_consumer(std::move(one));
    by.consumers.emplace(tag, &added);
    return &added;
}

void vhost::cancel(consumer& one) {
    auto& from = *one.from;
    for (auto& [tag, each] : one.of->unsettled) {
        if (each.by == &one) each.by = nullptr;
    }
    one.of->consumers.erase(one.tag);
    from.remove_consumer(one);
    if (from.consumers.empty() && from.spec.auto_delete) {
        remove(from);
        return;
    }
    note_unused(from);
    serve(from);
}

void vhost::end(const std::vector<channel*>& all) {
    std::set<std::string> concerned;
    for (auto* one : all) {
        channels_.erase(one);
        for (const auto& [tag, reader] : one->consumers) {
            concerned.insert(reader->from->spec.name);
            for (auto& [number, each] : one->unsettled) {
                if (each.by == reader) each.by = nullptr;
            }
            reader->from->remove_consumer(*reader);
        }
        one->consumers.clear();
        for (const auto& [number, each] : one->unsettled) {
            if (each.in != nullptr) concerned.insert(each.in->spec.name);
        }
    }
    for (auto* one : all) take_back(*one);
    for (const auto& name : concerned) {
        auto* each = find(name);
        if (each == nullptr) continue;
        if (each->spec.auto_delete && each->had_consumer && each->consumers.empty()) {
            remove(*each);
        } else {
            if (!each->unused_until) note_unused(*each);
            serve(*each);
        }
    }
}

void vhost::delete_exclusive_queues(const connection& of) {
    std::vector<queue*> gone;
    for_each([&](queue& each) {
        if (each.owner == &of) gone.push_back(&each);
    });
    for (auto* each : gone) remove(*each);
}

/// Consumers are told; what they have in hand is gone, so that settling it does nothing.
void vhost::remove(queue& gone) {
    forget_due(gone);
    gone.for_each_ready([&](const entry& each) { say_removed(gone, "deleted", *each.what); });
    for (const auto& each : gone.dead) say_removed(gone, "deleted", *each.what.what);
    for (const auto& each : gone.consumers) {
        each->of->consumers.erase(each->tag);
        mailbox_of(*each->of->of).post(news::cancelled{each->of->id, each->tag});
    }
    for (auto* one : channels_) {
        for (auto& [tag, each] : one->unsettled) {
            if (each.in != &gone) continue;
            say_removed(gone, "deleted", *each.what.what);
            each.in = nullptr;
            each.by = nullptr;
        }
    }
    const auto name = gone.spec.name;
    exchanges_.queue_deleted(name);
    queues_.erase(name);
}

/// Connections have fallen before, so that nothing is in hand.
void vhost::restart() {
    std::vector<queue*> gone;
    for_each([&](queue& each) {
        if (!each.spec.durable) gone.push_back(&each);
    });
    for (auto* each : gone) remove(*each);
    for_each([&](queue& each) {
        if (each.policy.type == kind::classic) {
            each.remove_transient(
                [&](const entry& lost) { say_removed(each, "transient", *lost.what); });
        }
        note_unused(each);
        note_due(each);
    });
    exchanges_.restarted([&](const std::string& queue) { return find(queue) != nullptr; });
}

}  // namespace waybill::rabbitmq::fake
