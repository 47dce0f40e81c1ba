#include "transport/rabbitmq/declaring.hpp"

#include "time/growing_pause.hpp"
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
    if (!is_gone(why)) (void)on.open_channel(channel);
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

std::string name_of(const queue::data& what) { return "queue " + what.spec.name; }
std::string name_of(const exchange::data& what) { return "exchange " + what.spec.name; }

template <class Data>
void add(std::vector<declaration>& to, const Data& what) {
    to.push_back({&what, true, name_of(what),
                  [&what](wire& on, channel_id channel) { return make(on, channel, what); }});
}

template <class Data>
void add_bindings(std::vector<declaration>& to, const Data& what) {
    for (const auto& each : what.bindings) {
        auto name = name_of(what) + ", binding to exchange " + each.from + " by " + each.key;
        to.push_back({&what, false, std::move(name), [&what, &each](wire& on, channel_id channel) {
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

std::vector<declaration> declarations_of(const broker::data& what, declared_by whom) {
    const bool reads = whom == declared_by::reading;
    std::vector<declaration> all;
    if (!reads) {
        for (const auto& each : what.exchanges) add(all, each.said());
        for (const auto& each : what.exchanges) add_bindings(all, each.said());
    }
    for (const auto& each : what.queues) {
        const auto& said = each.said();
        if (said.spec.exclusive != reads) continue;
        add(all, said);
        if (said.there != presence::elsewhere) add_bindings(all, said);
    }
    return all;
}

step declare_all(wire& on, channel_id channel, const std::vector<declaration>& all) {
    for (const auto& each : all) {
        if (auto done = each.act(on, channel); !done) return done;
    }
    return {};
}

std::chrono::nanoseconds pause_after_end(unsigned tries) noexcept {
    return growing_pause(std::chrono::seconds{30}, tries, std::chrono::minutes{10});
}

void harmful::add(const declaration& what, std::string words, std::chrono::nanoseconds now) {
    auto& known = all_[what.name];
    known.words = std::move(words);
    known.again = now + pause_after_end(known.tries++);
}

void harmful::is_there(const declaration& what) { all_.erase(what.name); }

const std::string* harmful::spared(const declaration& what, std::chrono::nanoseconds now) const {
    const auto found = all_.find(what.name);
    return found != all_.end() && now < found->second.again ? &found->second.words : nullptr;
}

std::chrono::nanoseconds harmful::again_after(std::chrono::nanoseconds now) const {
    auto first = std::chrono::nanoseconds::max();
    for (const auto& [name, each] : all_) {
        if (each.again > now) first = std::min(first, each.again);
    }
    return first;
}

std::expected<not_declared, error> declare_most(wire& on, channel_id channel,
                                                std::vector<declaration>& all, harmful& known,
                                                std::chrono::nanoseconds now) {
    not_declared wrong;
    std::vector<declaration> left;
    const auto leave = [&](const declaration& each, const std::string& why) {
        if (!wrong.words.empty()) wrong.words += "; ";
        wrong.words += why;
        left.push_back(each);
    };
    for (const auto& each : all) {
        const auto waits_for = [&](const auto& other) {
            return !each.makes && other.makes && other.of == each.of;
        };
        if (std::ranges::any_of(left, waits_for)) {
            left.push_back(each);
            continue;
        }
        if (const auto* said = known.spared(each, now)) {
            leave(each, *said);
            continue;
        }
        auto done = each.act(on, channel);
        if (done) {
            known.is_there(each);
            continue;
        }
        if (const auto stands = on.flush(); !stands) {
            if (is_for_a_fault(stands.error())) known.add(each, done.error().message(), now);
            return std::unexpected(std::move(done.error()));
        }
        wrong.tries = true;
        leave(each, done.error().message());
    }
    all = std::move(left);
    return wrong;
}

}  // namespace waybill::rabbitmq
