#include "transport/rabbitmq/declaring.hpp"

#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/profile.hpp"
#include "transport/rabbitmq/topology.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace waybill::rabbitmq {

using step = std::expected<void, error>;

namespace {

/// A refusal closed the channel; what is declared next needs it.
std::unexpected<error> refused(wire& on, channel_id channel, const refusal& why,
                               std::string where) {
    if (why.code != 0) (void)on.open_channel(channel);
    return std::unexpected(explain_refusal(why, std::move(where)));
}

/// "No limit" is -1 from 4.0 on; before, it is no argument, and -1 would drop a message at its
/// first return.
queue_spec spec_for(const wire& on, const queue::data& what) {
    auto spec = what.spec;
    const auto version = read_version(on.server().version);
    const bool needs_none = version && *version < limits_by_default;
    if (needs_none && what.delivery_limit == 0U) spec.arguments.remove("x-delivery-limit");
    return spec;
}

step bind(wire& on, channel_id channel, const queue::data& what, const binding& each) {
    const auto done = on.bind_queue(channel, what.spec.name, each.from, each.key, each.arguments);
    if (done) return {};
    return refused(on, channel, done.error(),
                   "queue " + what.spec.name + ", binding to exchange " + each.from);
}

step make(wire& on, channel_id channel, const exchange::data& what) {
    if (what.there == presence::elsewhere) return {};
    const bool passive = what.there == presence::passive;
    if (const auto done = on.declare(channel, what.spec, passive); !done) {
        return refused(on, channel, done.error(), "exchange " + what.spec.name);
    }
    return {};
}

step bind(wire& on, channel_id channel, const exchange::data& what, const binding& each) {
    const auto done =
        on.bind_exchange(channel, what.spec.name, each.from, each.key, each.arguments);
    if (done) return {};
    return refused(on, channel, done.error(),
                   "exchange " + what.spec.name + ", binding to exchange " + each.from);
}

/// Where others bring retries back, or keep what is spent: it must be there.
step look_for(wire& on, channel_id channel, const std::string& address) {
    const auto where = read_address(address);
    if (!where) return {};  // the check has said so
    std::optional<refusal> missing;
    if (where->is_queue()) {
        queue_spec known;
        known.name = where->key;
        if (auto there = on.declare(channel, known, true); !there) missing = there.error();
    } else {
        exchange_spec known;
        known.name = where->exchange;
        if (auto there = on.declare(channel, known, true); !there) missing = there.error();
    }
    if (!missing) return {};
    const auto name = where->is_queue() ? "queue " + where->key : "exchange " + where->exchange;
    return refused(on, channel, *missing, name + ", of legacy_retry_queues");
}

step make(wire& on, channel_id channel, const queue::data& what) {
    for (const auto* each : {&what.legacy_retry, &what.legacy_failed}) {
        if (each->empty()) continue;
        if (auto done = look_for(on, channel, *each); !done) return done;
    }
    if (what.there == presence::elsewhere) return {};
    const bool passive = what.there == presence::passive;
    if (const auto done = on.declare(channel, spec_for(on, what), passive); !done) {
        return refused(on, channel, done.error(), "queue " + what.spec.name);
    }
    return {};
}

template <class Data>
void add(std::vector<declaration>& to, const Data& what) {
    to.push_back(
        {&what, true, [&what](wire& on, channel_id channel) { return make(on, channel, what); }});
}

template <class Data>
void add_bindings(std::vector<declaration>& to, const Data& what) {
    for (const auto& each : what.bindings) {
        to.push_back({&what, false, [&what, &each](wire& on, channel_id channel) {
                          return bind(on, channel, what, each);
                      }});
    }
}

}  // namespace

step declare_queue(wire& on, channel_id channel, const queue::data& what) {
    if (auto done = make(on, channel, what); !done) return done;
    if (what.there == presence::elsewhere) return {};
    for (const auto& each : what.bindings) {
        if (auto done = bind(on, channel, what, each); !done) return done;
    }
    return {};
}

std::vector<declaration> declarations_of(const broker::data& what) {
    std::vector<declaration> all;
    for (const auto& each : what.exchanges) add(all, each.said());
    for (const auto& each : what.exchanges) add_bindings(all, each.said());
    for (const auto& each : what.queues) {
        const auto& said = each.said();
        add(all, said);
        if (said.there != presence::elsewhere) add_bindings(all, said);
    }
    return all;
}

step declare_all(wire& on, channel_id channel, const broker::data& what) {
    for (const auto& each : declarations_of(what)) {
        if (auto done = each.act(on, channel); !done) return done;
    }
    return {};
}

std::expected<std::string, error> declare_most(wire& on, channel_id channel,
                                               std::vector<declaration>& all) {
    std::string wrong;
    std::vector<declaration> left;
    for (const auto& each : all) {
        const auto waits_for = [&](const auto& other) {
            return !each.makes && other.makes && other.of == each.of;
        };
        if (std::ranges::any_of(left, waits_for)) {
            left.push_back(each);
            continue;
        }
        auto done = each.act(on, channel);
        if (done) continue;
        if (done.error().code == errc::connection) return std::unexpected(std::move(done.error()));
        if (!wrong.empty()) wrong += "; ";
        wrong += done.error().message();
        left.push_back(each);
    }
    all = std::move(left);
    return wrong;
}

}  // namespace waybill::rabbitmq
