#include "scenario/write.hpp"

#include "scenario/kit.hpp"
#include "scenario/values.hpp"

#include <array>
#include <utility>

namespace waybill::scenario {
namespace {

std::string text_of(const bytes& from) {
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

// ---- what handlers answer ----------------------------------------------------------------------

json::value plain_answer(const answer& from) {
    using kind = answer::kind;
    switch (from.what) {
        case kind::ack:
        case kind::reply:
            return "ack";
        case kind::drop:
            return "drop";
        case kind::retry:
            return "retry";
        case kind::retry_after:
            return "retry_after " + to_text(from.delay);
        case kind::throws:
            return "throw";
        case kind::throws_number:
            return "throw " + std::to_string(from.number);
        case kind::crash:
            return "crash";
    }
    return "ack";
}

json::value answer_of(const answer& from) {
    const bool replies = from.what == answer::kind::reply;
    json::object made;
    if (from.takes > nanoseconds{0}) made.push_back({"takes", to_text(from.takes)});
    if (!from.publishes.empty()) {
        json::array all;
        for (const auto& each : from.publishes) {
            json::object one{{"to", each.to}};
            add_payload(one, each.payload);
            all.push_back(std::move(one));
        }
        made.push_back({"publish", std::move(all)});
    }
    if (made.empty() && !replies) return plain_answer(from);
    made.push_back(replies ? json::member{"reply", from.reply}
                           : json::member{"then", plain_answer(from)});
    return made;
}

json::array answers_of(const answers& from) {
    json::array made;
    for (const auto& each : from) made.push_back(answer_of(each));
    return made;
}

// ---- subscriptions -----------------------------------------------------------------------------

json::value policy_of(const failure_policy& from) { return from.describe(); }

/// What it holds is told only in words: "1s doubling to 5m", or "1s, 10s".
json::value backoff_of(const backoff& from) {
    constexpr std::string_view doubling = " doubling to ";
    constexpr std::string_view comma = ", ";
    auto words = from.describe();
    if (const auto at = words.find(doubling); at != words.npos) {
        return json::object{
            {"exponential", json::array{words.substr(0, at), words.substr(at + doubling.size())}}};
    }
    json::array delays;
    for (auto at = words.find(comma); at != words.npos; at = words.find(comma)) {
        delays.emplace_back(words.substr(0, at));
        words.erase(0, at + comma.size());
    }
    delays.emplace_back(std::move(words));
    return json::object{{"list", std::move(delays)}};
}

void add_codec(json::object& into, const subscription& from) {
    constexpr std::array<std::string_view, 4> codecs{"raw", "json", "cbor", "msgpack"};
    constexpr std::array<std::string_view, 12> kinds{"bool", "i8",  "i16", "i32", "i64", "u8",
                                                     "u16",  "u32", "u64", "f32", "f64", "string"};
    if (from.codec == codec_name::raw) return;
    into.push_back({"codec", codecs[std::to_underlying(from.codec)]});
    if (from.message.empty()) return;
    json::object fields;
    for (const auto& each : from.message) {
        fields.push_back({each.name, kinds[std::to_underlying(each.kind)]});
    }
    into.push_back({"message", std::move(fields)});
}

void add_addresses(json::object& into, const subscription& from) {
    const auto& declared = from.declared;
    if (declared.dead_letter) into.push_back({"dead_letter", *declared.dead_letter});
    if (declared.retry_to) into.push_back({"retry_to", *declared.retry_to});
    if (declared.retry_to_delivery) into.push_back({"retry_to", "$delivery"});
    if (declared.reply_to) into.push_back({"reply_to", *declared.reply_to});
}

void add_policies(json::object& into, const declaration& from) {
    if (from.concurrency != 1) into.push_back({"concurrency", from.concurrency});
    if (from.max_attempts) into.push_back({"max_attempts", *from.max_attempts});
    if (from.max_redeliveries) into.push_back({"max_redeliveries", *from.max_redeliveries});
    if (!from.retry_delay.empty()) into.push_back({"backoff", backoff_of(from.retry_delay)});
    const bool retries =
        !from.on_exception.is_dead_letter() && from.on_exception.answer() == retry();
    if (!retries) into.push_back({"on_exception", policy_of(from.on_exception)});
    if (from.on_undecodable) into.push_back({"on_undecodable", policy_of(*from.on_undecodable)});
    if (from.drop_when_spent) into.push_back({"drop_when_spent", true});
    if (from.drop_to_broker) into.push_back({"on_drop", "broker"});
    if (from.skip_foreign_copies) into.push_back({"skip_foreign_copies", true});
    if (from.formerly.empty()) return;
    json::array names;
    for (const auto& each : from.formerly) names.emplace_back(each);
    into.push_back({"formerly", std::move(names)});
}

json::value subscription_of(const subscription& from, const kit& by) {
    json::object made{{"name", from.declared.name},
                      {"source", by.write_source(from.declared.from)}};
    add_codec(made, from);
    add_policies(made, from.declared);
    add_addresses(made, from);
    made.push_back({"handler", answers_of(from.handler)});
    if (from.handler_for.empty()) return made;
    json::object lists;
    for (const auto& [payload, list] : from.handler_for) {
        lists.push_back({text_of(payload), answers_of(list)});
    }
    made.push_back({"handler_for", std::move(lists)});
    return made;
}

// ---- steps -------------------------------------------------------------------------------------

class step_writer {
public:
    explicit step_writer(const kit& by) : by_{by} {}

    json::member operator()(const step::publish& from) const {
        json::object made{{"to", from.to}};
        if (from.value) {
            made.push_back({"value", *from.value});
        } else {
            add_payload(made, from.payload);
        }
        auto pairs = by_.headers_of(from.with);
        if (!pairs.empty()) made.push_back({"headers", std::move(pairs)});
        auto properties = by_.write_properties(from);
        if (!properties.empty()) made.push_back({"properties", std::move(properties)});
        if (from.times != 1) made.push_back({"times", from.times});
        return {"publish", std::move(made)};
    }
    json::member operator()(const step::advance& from) const {
        return {"advance", to_text(from.by)};
    }
    json::member operator()(const step::stop& from) const {
        json::object made;
        if (from.timeout) made.push_back({"timeout", to_text(*from.timeout)});
        return {"stop", std::move(made)};
    }
    json::member operator()(const step::crash&) const { return {"crash", json::object{}}; }
    json::member operator()(const step::restart&) const { return {"restart", json::object{}}; }
    json::member operator()(const step::drop_connection&) const {
        return {"drop_connection", json::object{}};
    }
    json::member operator()(const step::reconnect&) const { return {"reconnect", json::object{}}; }
    json::member operator()(const step::fail_publishes& from) const {
        return {"fail_publishes", json::object{{"to", from.to}, {"times", from.times}}};
    }
    json::member operator()(const step::remove& from) const {
        return {"delete", json::object{{"address", from.address}}};
    }
    json::member operator()(const step::restart_broker&) const {
        return {"restart_broker", json::object{}};
    }

private:
    const kit& by_;
};

// ---- what is expected --------------------------------------------------------------------------

json::value counts_of(const std::map<std::string, std::uint64_t>& from) {
    json::object made;
    for (const auto& [name, count] : from) made.push_back({name, count});
    return made;
}

json::value expectation_of(const expectation& from) {
    json::object made;
    if (!from.deliveries.empty()) made.push_back({"deliveries", counts_of(from.deliveries)});
    if (!from.published.empty()) made.push_back({"published", counts_of(from.published)});
    if (!from.settled.empty()) {
        json::object all;
        for (const auto& [name, kinds] : from.settled) all.push_back({name, counts_of(kinds)});
        made.push_back({"settled", std::move(all)});
    }
    if (!from.queued.empty()) made.push_back({"queued", counts_of(from.queued)});
    if (from.waiting) made.push_back({"waiting", *from.waiting});
    if (from.refused) made.push_back({"refused", *from.refused});
    if (!from.trace.empty()) made.push_back({"trace", from.trace});
    return made;
}

// ---- lines -------------------------------------------------------------------------------------

void write_lines(const json::value& what, std::size_t indent, std::string& to) {
    constexpr std::size_t width = 100;
    const auto* items = what.items();
    const auto* members = what.members();
    auto line = json::to_text(what);
    const bool is_short = indent + line.size() <= width;
    if ((items == nullptr && members == nullptr) || (is_short && indent != 0)) {
        to += line;
        return;
    }
    const std::string margin(indent + 2, ' ');
    std::string_view before = items != nullptr ? "[\n" : "{\n";
    for (std::size_t at = 0; at < (items != nullptr ? items->size() : members->size()); ++at) {
        to.append(std::exchange(before, ",\n")).append(margin);
        if (items != nullptr) {
            write_lines((*items)[at], indent + 2, to);
        } else {
            to += json::to_text((*members)[at].name) + ": ";
            write_lines((*members)[at].is, indent + 2, to);
        }
    }
    to += '\n' + margin.substr(2) + (items != nullptr ? ']' : '}');
}

}  // namespace

json::value write(const scenario& told) {
    const auto& by = *kit_for(told.transport);
    json::object made;
    if (!told.name.empty()) made.push_back({"name", told.name});
    made.push_back({"transport", told.transport});
    auto broker = by.write_broker(*told.broker);
    if (!broker.empty()) made.push_back({"broker", std::move(broker)});
    json::array subscriptions;
    for (const auto& each : told.subscriptions) {
        subscriptions.push_back(subscription_of(each, by));
    }
    made.push_back({"subscriptions", std::move(subscriptions)});
    json::array steps;
    for (const auto& each : told.steps) {
        steps.push_back(json::object{std::visit(step_writer{by}, each)});
    }
    made.push_back({"steps", std::move(steps)});
    if (told.expect) made.push_back({"expect", expectation_of(*told.expect)});
    return made;
}

std::string to_pretty_text(const json::value& what) {
    std::string text;
    write_lines(what, 0, text);
    text += '\n';
    return text;
}

}  // namespace waybill::scenario
