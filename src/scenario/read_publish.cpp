// A message that a step publishes: its payload, headers and properties.
#include "codec/base64.hpp"
#include "scenario/mistakes.hpp"
#include "scenario/reading.hpp"

#include <limits>

namespace waybill::scenario {
namespace {

std::uint64_t read_times(fields& from, reading& in) {
    const auto at = from.take("times");
    const auto times = at ? at->count().value_or(1) : 1;
    if (times == 0) at->wrong("this must be 1 or more");
    const bool was_too_many = in.messages > most_messages;
    in.messages = times > most_messages ? most_messages + 1 : in.messages + times;
    if (in.messages > most_messages && !was_too_many) {
        from.wrong("with this step more than " + std::to_string(most_messages) +
                   " messages are published, and that is the most");
    }
    return times;
}

bool is_base64(const json::value& value) {
    const auto* members = value.members();
    return members != nullptr && members->size() == 1 && members->front().name == "base64";
}

void append(headers& into, const std::string& name, const entry& from, const reading& in) {
    const auto& value = from.is();
    if (value.is_null()) {
        into.append(name, nullptr);
    } else if (const auto* truth = value.boolean()) {
        into.append(name, *truth);
    } else if (const auto* text = value.text()) {
        into.append(name, *text);
    } else if (const auto* number = value.floating()) {
        into.append(name, *number);
    } else if (const auto whole = value.integer()) {
        into.append(name, *whole);
    } else if (const auto large = value.unsigned_integer()) {
        into.append(name, *large);
    } else if (is_base64(value)) {
        from.object([&](fields& one) {
            const auto content = read_base64(*one.take("base64"));
            if (content) into.append(name, std::span<const std::byte>{*content});
        });
    } else if (in.transport != nullptr && !in.transport->append_nested(into, name, from)) {
        from.wrong("a nested value needs a transport with types, and " +
                   std::string{in.transport->transport()} +
                   R"( has none: give text, a number, true, false, null or {"base64": "..."})");
    }
}

}  // namespace

step::publish read_publish(fields& from, reading& in) {
    step::publish made;
    made.to = read_address(from.need("to"), in).value_or("");
    made.payload = read_payload(from, &made.value);
    if (const auto at = from.take("headers")) made.with = read_headers(*at, in);
    const auto properties = from.take("properties");
    if (properties && in.transport != nullptr) {
        properties->object([&](fields& own) { in.transport->read_properties(own, made); });
    }
    made.times = read_times(from, in);
    return made;
}

bytes read_payload(fields& from, std::optional<json::value>* value) {
    bytes made;
    int given = 0;
    if (const auto at = from.take("payload")) {
        ++given;
        if (const auto text = at->text()) made = bytes_of(*text);
    }
    if (const auto at = from.take("payload_base64")) {
        ++given;
        made = read_base64(*at).value_or(bytes{});
    }
    const auto at = value != nullptr ? from.take("value") : std::nullopt;
    if (at) {
        ++given;
        *value = at->is();
    }
    if (given > 1) {
        from.wrong(value != nullptr
                       ? R"(only one of "payload", "payload_base64" and "value" can be)"
                       : R"(only one of "payload" and "payload_base64" can be)");
    }
    return made;
}

headers read_headers(const entry& from, const reading& in) {
    headers made;
    from.list([&](const entry& pair) {
        const auto* items = pair.is().items();
        const auto* name = items != nullptr && items->size() == 2 ? (*items)[0].text() : nullptr;
        if (name == nullptr) {
            return pair.wrong(R"(a header is a list of its name and its value, as in ["a", "b"])");
        }
        if (name->size() > std::numeric_limits<std::uint16_t>::max()) {
            return pair.wrong("the name of a header has 65535 bytes at most");
        }
        bool is_value = false;
        pair.list([&](const entry& each) {
            if (std::exchange(is_value, true)) append(made, *name, each, in);
        });
    });
    return made;
}

bytes bytes_of(std::string_view text) {
    const auto view = std::as_bytes(std::span{text});
    return {view.begin(), view.end()};
}

std::optional<bytes> read_base64(const entry& from) {
    const auto text = from.text();
    if (!text) return std::nullopt;
    bytes made(base64_bytes(*text));
    if (decode_base64(*text, made.data())) return made;
    from.wrong("this is no base64, as in \"AAEC/w==\"");
    return std::nullopt;
}

}  // namespace waybill::scenario
