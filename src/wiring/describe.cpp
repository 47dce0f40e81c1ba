#include "wiring/describe.hpp"

#include "wiring/app_core.hpp"
#include "wiring/facts.hpp"

#include <fmt/format.h>

// RapidJSON's stacks add to a null pointer before the first element.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#if defined(__clang__)
#pragma clang attribute pop
#endif

namespace waybill::wiring {
namespace {

using detail::app_core;
using detail::resolved_subscription;

facts facts_for(const app_core& core, const resolved_subscription& each) {
    const auto& declared = each.plan->declared;
    return facts_of(declared, core.plans[each.broker]->config->capabilities_of(declared.from));
}

std::string where_it_runs(const app_core& core, const declaration& declared) {
    if (declared.runs_inline) return "on the thread that reads";
    const auto lanes = declared.concurrency == 1 ? std::string{"1 lane"}
                                                 : fmt::format("{} lanes", declared.concurrency);
    if (core.settings->workers_declared) return lanes + " on the shared workers";
    return lanes +
           (declared.concurrency == 1 ? " with a thread of its own" : " with threads of their own");
}

std::string attempts_of(const declaration& declared) {
    if (!declared.max_attempts) return "no cap";
    const auto end = declared.dead_letter ? *declared.dead_letter : std::string{"dropped"};
    return fmt::format("{} at most, then {}", *declared.max_attempts, end);
}

/// Where a policy sends a delivery, by its address when it is the dead letter.
std::string end_of(const declaration& declared, const failure_policy& policy) {
    if (!policy.is_dead_letter() || !declared.dead_letter) return policy.describe();
    return fmt::format("dead letter {}", *declared.dead_letter);
}

/// Collects "key  value" lines that line up.
class lines {
public:
    void add(std::string_view key, std::string_view value) {
        fmt::format_to(std::back_inserter(text), "    {:<14} {}\n", key, value);
    }
    std::string text;
};

void describe_one(lines& out, const app_core& core, const resolved_subscription& each) {
    const auto& declared = each.plan->declared;
    const auto said = facts_for(core, each);
    if (!declared.description.empty()) out.add("what", declared.description);
    out.add("reads",
            fmt::format("{}{} on {}", declared.from.name, declared.from.fan_out ? " (fan-out)" : "",
                        core.plans[each.broker]->config->describe()));
    const auto* decodes = each.plan->handler.decodes;
    out.add("message", decodes == nullptr ? std::string{"raw payload"}
                                          : fmt::format("{} as {}", decodes->name,
                                                        each.format ? each.format->name() : "?"));
    out.add("attempts", attempts_of(declared));
    if (!declared.retry_delay.empty()) out.add("back-off", declared.retry_delay.describe());
    const auto can = core.plans[each.broker]->config->capabilities_of(declared.from);
    const bool fixed = rules_of(declared, can).has_fixed_wait;
    if (declared.retry_to) {
        out.add("retries go to",
                *declared.retry_to + (fixed ? ", and wait as long as that says" : ""));
    }
    if (declared.retry_to_delivery) out.add("retries go to", "the delivery's own address");
    for (const auto& output : each.outputs) {
        out.add("publishes", fmt::format("{} to {}", output.type->name, output.address));
    }
    out.add("on exception", end_of(declared, declared.on_exception));
    out.add("undecodable", end_of(declared, declared.undecodable()));
    out.add("runs", where_it_runs(core, declared));
    out.add("counted by", said.counted_by);
    out.add("delays wait", fmt::format("in {}", said.delays == "memory" ? "this process"
                                                : said.delays == "held" ? "our hand"
                                                                        : "the broker"));
    out.add("a kill loses", said.kill_loses);
    out.add("crash loop", said.crash_loop);
    // A count of returns is not the attempts'.
    out.add("stop charges", !said.stop_charges ? "nothing"
                            : said.counted_by == "header"
                                ? "a return with the server, not an attempt"
                                : "an attempt");
}

using writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void put(writer& to, const char* key, std::string_view value) {
    to.Key(key);
    to.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}
void put(writer& to, const char* key, const std::optional<std::string>& value) {
    if (value) put(to, key, std::string_view{*value});
}
void put_number(writer& to, const char* key, std::int64_t value) {
    to.Key(key);
    to.Int64(value);
}
void put_flag(writer& to, const char* key, bool value) {
    to.Key(key);
    to.Bool(value);
}

void write_one(writer& to, const app_core& core, const resolved_subscription& each) {
    const auto& declared = each.plan->declared;
    const auto said = facts_for(core, each);
    to.StartObject();
    put(to, "name", std::string_view{each.name});
    put(to, "description", std::string_view{declared.description});
    put(to, "broker", std::string_view{core.plans[each.broker]->config->describe()});
    put(to, "source", std::string_view{declared.from.name});
    put_flag(to, "fan_out", declared.from.fan_out);
    const auto* decodes = each.plan->handler.decodes;
    put(to, "message", decodes == nullptr ? std::string_view{"raw"} : decodes->name);
    put(to, "codec", each.format ? each.format->name() : std::string_view{});
    if (declared.max_attempts) put_number(to, "max_attempts", *declared.max_attempts);
    put(to, "dead_letter", declared.dead_letter);
    put(to, "retry_to", declared.retry_to);
    put_flag(to, "retry_to_delivery", declared.retry_to_delivery);
    put(to, "backoff", std::string_view{declared.retry_delay.describe()});
    put(to, "on_exception", std::string_view{declared.on_exception.describe()});
    put(to, "on_undecodable", std::string_view{declared.undecodable().describe()});
    put_number(to, "concurrency", declared.concurrency);
    put_flag(to, "inline", declared.runs_inline);
    to.Key("publishes");
    to.StartArray();
    for (const auto& output : each.outputs) {
        to.StartObject();
        put(to, "type", output.type->name);
        put(to, "address", std::string_view{output.address});
        to.EndObject();
    }
    to.EndArray();
    put(to, "counted_by", said.counted_by);
    put(to, "delays", said.delays);
    put(to, "kill_loses", said.kill_loses);
    put(to, "crash_loop", said.crash_loop);
    put_flag(to, "stop_charges", said.stop_charges);
    to.EndObject();
}

std::vector<std::string> topology_of(const app_core& core,
                                     const std::vector<resolved_subscription>& all,
                                     std::size_t broker) {
    std::vector<const source*> read;
    for (const auto& each : all) {
        if (each.broker == broker) read.push_back(&each.plan->declared.from);
    }
    return core.plans[broker]->config->topology(read);
}

void write_broker(writer& to, const app_core& core, const std::vector<resolved_subscription>& all,
                  std::size_t broker) {
    to.StartObject();
    put(to, "broker", std::string_view{core.plans[broker]->config->describe()});
    to.Key("topology");
    to.StartArray();
    for (const auto& line : topology_of(core, all, broker)) {
        to.String(line.data(), static_cast<rapidjson::SizeType>(line.size()));
    }
    to.EndArray();
    to.EndObject();
}

}  // namespace

std::string describe_text(const app_core& core) {
    const auto all = core.resolve();
    const auto& settings = *core.settings;
    auto text = fmt::format("{} {}: {} subscription{}\n", settings.name, settings.version,
                            all.size(), all.size() == 1 ? "" : "s");
    if (settings.workers_declared) {
        text += fmt::format("  {0} shared worker{1}: {0} blocked handler{1} hold{2} up the rest\n",
                            settings.workers, settings.workers == 1 ? "" : "s",
                            settings.workers == 1 ? "s" : "");
    }
    for (const auto& each : all) {
        lines out;
        describe_one(out, core, each);
        text += "\n  " + each.name + "\n" + out.text;
    }
    for (std::size_t at = 0; at < core.plans.size(); ++at) {
        const auto declares = topology_of(core, all, at);
        if (declares.empty()) continue;
        text += "\n  topology of " + core.plans[at]->config->describe() + "\n";
        for (const auto& line : declares) text += "    " + line + "\n";
    }
    return text;
}

std::string describe_json(const app_core& core) {
    rapidjson::StringBuffer buffer;
    writer to{buffer};
    to.SetIndent(' ', 2);
    to.StartObject();
    put(to, "name", std::string_view{core.settings->name});
    put(to, "version", std::string_view{core.settings->version});
    if (core.settings->workers_declared) put_number(to, "workers", core.settings->workers);
    to.Key("subscriptions");
    to.StartArray();
    const auto all = core.resolve();
    for (const auto& each : all) write_one(to, core, each);
    to.EndArray();
    to.Key("brokers");
    to.StartArray();
    for (std::size_t at = 0; at < core.plans.size(); ++at) write_broker(to, core, all, at);
    to.EndArray();
    to.EndObject();
    return buffer.GetString();
}

}  // namespace waybill::wiring
