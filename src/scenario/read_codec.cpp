// The codec of a subscription and the message that it decodes.
#include "scenario/mistakes.hpp"
#include "scenario/reading.hpp"
#include <waybill/fields.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace waybill::scenario {
namespace {

constexpr std::array<std::pair<std::string_view, field_kind>, 14> kinds{{
    {"bool", field_kind::boolean},
    {"i8", field_kind::i8},
    {"i16", field_kind::i16},
    {"i32", field_kind::i32},
    {"i64", field_kind::i64},
    {"u8", field_kind::u8},
    {"u16", field_kind::u16},
    {"u32", field_kind::u32},
    {"u64", field_kind::u64},
    {"f32", field_kind::f32},
    {"f64", field_kind::f64},
    {"string", field_kind::string},
    {"float", field_kind::f32},
    {"double", field_kind::f64},
}};

std::optional<field_kind> read_kind(const entry& from) {
    const auto word = from.text();
    if (!word) return std::nullopt;
    const auto* const found =
        std::ranges::find(kinds, *word, &std::pair<std::string_view, field_kind>::first);
    if (found != kinds.end()) return found->second;
    from.wrong(quoted(*word) + " is no kind of field; there are bool, i8 to i64, u8 to u64, f32, " +
               "f64 and string");
    return std::nullopt;
}

void read_message(const entry& from, std::vector<message_field>& into) {
    from.map([&](const std::string& name, const entry& each) {
        if (!detail::is_plain_name(name)) {
            each.wrong("the name of a field is without quotes, backslashes and control characters");
        }
        if (const auto kind = read_kind(each)) into.push_back({name, *kind});
    });
    if (into.size() > most_fields) {
        from.wrong("a message has at most " + std::to_string(most_fields) + " fields, not " +
                   std::to_string(into.size()));
    }
}

}  // namespace

void read_codec(fields& from, subscription& into) {
    const auto named = from.choice("codec", {"raw", "json", "cbor", "msgpack"});
    into.codec = static_cast<codec_name>(named.value_or(0));
    const auto message = from.take("message");
    if (!message) return;
    read_message(*message, into.message);
    if (named && into.codec != codec_name::raw) return;
    // A codec that is a mistake has its own sentence.
    if (named || from.take("codec") == std::nullopt) {
        message->wrong(R"(a message needs a "codec": "json", "cbor" or "msgpack")");
    }
}

}  // namespace waybill::scenario
