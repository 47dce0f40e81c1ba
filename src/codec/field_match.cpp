#include "field_match.hpp"

#include <bit>
#include <string>

namespace waybill {
namespace {

const field_info& first_of(const value_type& type, std::uint32_t bits) noexcept {
    return type.fields[static_cast<std::size_t>(std::countr_zero(bits))];
}

}  // namespace

void fill_absent(const value_type& type, void* object, std::uint32_t absent) {
    for (; absent != 0; absent &= absent - 1) {
        const field_info& one = first_of(type, absent);
        if (one.absent_is_empty)
            one.type->optional->clear(one.of(object));
        else
            one.type->assign(one.of(object), one.of(type.pristine));
    }
}

std::string missing_text(const value_type& type, std::uint32_t missing) {
    std::string text = "missing field \"";
    text += first_of(type, missing).name();
    return text + '"';
}

}  // namespace waybill
