#include "json_scalars.hpp"

#include "base64.hpp"
#include "byte_values.hpp"
#include "json_grammar.hpp"
#include "set_text.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <type_traits>

namespace waybill {
namespace {

/// "0." and more than 19 digits: simdjson 3.0.1 takes such a number for another one.
bool is_long_fraction(std::string_view token) noexcept {
    if (token.starts_with('-')) token.remove_prefix(1);
    return token.size() > 21 && token.starts_with("0.");
}

/// The nearest `Number` to a token that simdjson found well spelled and `near`; infinite when it
/// does not fit.
template <class Number>
[[gnu::noinline]] Number read_exactly(std::string_view token, double near) noexcept {
    Number number = 0;
    if (std::from_chars(token.data(), token.data() + token.size(), number).ec == std::errc{})
        return number;
    const auto limit = static_cast<Number>(std::abs(near) > 1 ? HUGE_VAL : 0.0);
    return std::copysign(limit, static_cast<Number>(near));
}

}  // namespace

bool json_scalars::read_signed(const value_type& type, void* object, ondemand::value& from) {
    std::int64_t number = 0;
    const auto largest = static_cast<std::int64_t>(type.largest);
    if (from.get_int64().get(number) || number > largest || number < -largest - 1) [[unlikely]]
        return failure_.integer(place_of(from), type);
    store_integer(object, type.size, static_cast<std::uint64_t>(number));
    return true;
}

template <class Number>
bool json_scalars::read_float(void* object, ondemand::value& from) {
    double number = 0;
    if (from.get_double().get(number)) return fail_at(from, "expected a number");
    auto narrow = static_cast<Number>(number);
    // A double made narrow would be rounded twice.
    const std::string_view token = from.raw_json_token();
    if (std::is_same_v<Number, float> || is_long_fraction(token))
        narrow = read_exactly<Number>(token, number);
    if (std::isinf(narrow)) return fail_at(from, "expected a number that fits");
    std::memcpy(object, &narrow, sizeof narrow);
    return true;
}

bool json_scalars::read_boolean(void* object, ondemand::value& from) {
    bool yes = false;
    if (from.get_bool().get(yes)) return fail_at(from, "expected a boolean");
    std::memcpy(object, &yes, sizeof yes);
    return true;
}

[[gnu::always_inline]] inline bool json_scalars::read_text(std::string_view& text,
                                                           ondemand::value& from,
                                                           std::string_view expected) {
    if (!from.get_string().get(text)) [[likely]]
        return true;
    return fail_text(from, expected);
}

bool json_scalars::fail_text(ondemand::value& from, std::string_view expected) {
    return fail_at(from, *place_of(from) == '"' ? bad_escapes : expected);
}

bool json_scalars::read_string(void* object, ondemand::value& from) {
    std::string_view text;
    if (!read_text(text, from)) [[unlikely]]
        return false;
    set_text(*static_cast<std::string*>(object), text);
    return true;
}

bool json_scalars::read_enumeration(const value_type& type, void* object, ondemand::value& from) {
    std::string_view name;
    if (!read_text(name, from)) return false;
    const enumerator* const one = find_enumerator(type, name);
    if (one == nullptr) return fail_at(from, "expected a name of " + std::string{type.name});
    store_integer(object, type.size, static_cast<std::uint64_t>(one->value));
    return true;
}

bool json_scalars::read_borrowed(std::string_view& text, ondemand::value& from) {
    const char* const place = place_of(from);
    if (*place != '"') return fail_at(from, "expected a string");
    const char* const end = find_quote_or_escape(place + 1);
    ondemand::raw_json_string taken;
    if (*end == '"' && !from.get_raw_json_string().get(taken)) {
        text = {place + 1, end};
        return true;
    }
    if (!read_text(text, from)) return false;
    text = kept_.keep(text);
    return true;
}

bool json_scalars::read_bytes(const value_type& type, void* object, ondemand::value& from) {
    constexpr std::string_view expected = "expected a base64 string";
    std::string_view text;
    if (!read_text(text, from, expected)) return false;
    std::byte* const at = make_room(type, object, base64_bytes(text), kept_);
    if (at == nullptr)
        return fail_at(from, "expected base64 of " + std::to_string(type.length) + " bytes");
    return decode_base64(text, at) || fail_at(from, expected);
}

template bool json_scalars::read_float<float>(void*, ondemand::value&);
template bool json_scalars::read_float<double>(void*, ondemand::value&);

}  // namespace waybill
