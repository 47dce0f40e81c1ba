#include "field_match.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace waybill {
namespace {

const field_info& first_of(const value_type& type, std::uint32_t bits) noexcept {
    return type.fields.data()[std::countr_zero(bits)];  // members left out stand behind the fields
}

}  // namespace

bool fill_absent(const value_type& type, void* object, std::uint32_t absent,
                 memory_budget& budget) {
    for (; absent != 0; absent &= absent - 1) {
        const field_info& one = first_of(type, absent);
        if (one.absent_is_empty) {
            one.type->optional->clear(one.of(object));
            continue;
        }
        if (!budget.take(one.default_bytes)) return false;
        one.type->assign(one.of(object), one.of(type.pristine));
    }
    return true;
}

std::string length_text(const value_type& type) {
    return "expected an array of " + std::to_string(type.length) + " elements";
}

std::string length_text(const value_type& type, std::uint32_t found) {
    return length_text(type) + ", found " + std::to_string(found);
}

std::size_t find_alternative(const value_type& type, std::string_view name) noexcept {
    const auto at = std::ranges::find(type.alternatives, name, &alternative::name);
    return static_cast<std::size_t>(at - type.alternatives.begin());
}

std::string alternatives_text(const value_type& type) {
    std::string text = "expected ";
    for (std::size_t i = 0; i < type.alternatives.size(); ++i) {
        if (i != 0) text += i + 1 == type.alternatives.size() ? " or " : ", ";
        text += type.alternatives[i].name;
    }
    return text;
}

std::string missing_text(const value_type& type, std::uint32_t missing) {
    std::string text = "missing field \"";
    text += first_of(type, missing).name();
    return text + '"';
}

}  // namespace waybill
