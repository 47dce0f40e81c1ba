#include "json_scalars.hpp"

#include "base64.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace waybill {
namespace {

/// "0." and more than 19 digits: simdjson 3.0.1 takes such a number for another one.
bool is_long_fraction(std::string_view token) noexcept {
    if (token.starts_with('-')) token.remove_prefix(1);
    return token.size() > 21 && token.starts_with("0.");
}

/// A number that simdjson has found well spelled; infinite when it does not fit.
[[gnu::cold, gnu::noinline]] double read_long_fraction(std::string_view token) noexcept {
    double number = 0;
    const auto done = std::from_chars(token.data(), token.data() + token.size(), number);
    if (done.ec != std::errc::result_out_of_range) return number;
    const std::size_t exponent = token.find_first_of("eE");
    if (exponent != std::string_view::npos && token[exponent + 1] != '-')
        return std::numeric_limits<double>::infinity();
    return token.starts_with('-') ? -0.0 : 0.0;
}

}  // namespace

template <class Number>
bool json_scalars::read_float(void* object, value& from) {
    double number = 0;
    if (from.get_double().get(number)) return fail_at(from, "expected a number");
    if (const std::string_view token = from.raw_json_token(); is_long_fraction(token))
        number = read_long_fraction(token);
    const auto narrow = static_cast<Number>(number);
    if (std::isinf(narrow)) return fail_at(from, "expected a number that fits");
    std::memcpy(object, &narrow, sizeof narrow);
    return true;
}

bool json_scalars::read_enumeration(const value_type& type, void* object, value& from) {
    std::string_view name;
    if (!read_text(name, from, "expected a string")) return false;
    const enumerator* const one = find_enumerator(type, name);
    if (one == nullptr) return fail_at(from, "expected a name of " + std::string{type.name});
    store_integer(object, type.size, static_cast<std::uint64_t>(one->value));
    return true;
}

bool json_scalars::read_bytes(void* object, value& from) {
    constexpr std::string_view expected = "expected a base64 string";
    std::string_view text;
    if (!read_text(text, from, expected)) return false;
    return decode_base64(text, *static_cast<std::vector<std::byte>*>(object)) ||
           fail_at(from, expected);
}

template bool json_scalars::read_float<float>(void*, value&);
template bool json_scalars::read_float<double>(void*, value&);

}  // namespace waybill
