#include "json_scalars.hpp"

#include "base64.hpp"

#include <cmath>

namespace waybill {

template <class Number>
bool json_scalars::read_float(void* object, value& from) {
    double number = 0;
    if (from.get_double().get(number)) return fail_at(from, "expected a number");
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
