#include "field_match.hpp"
#include "json_reader.hpp"

namespace waybill {

bool json_reader::read_sequence(const value_type& type, void* object, ondemand::value& from) {
    const int level = from.current_depth();
    ondemand::array elements;
    if (from.get_array().get(elements)) return fail_at(from, "expected an array");
    if (level > deepest_) return fail_at(from, too_deep);
    return read_elements(type, object, elements, place_of(from));
}

bool json_reader::read_elements(const value_type& type, void* object, ondemand::array& elements,
                                const char* opened) {
    if (type.kind == value_kind::sequence) return read_many(type, object, elements);
    if (type.kind == value_kind::array) return read_array(type, object, elements, opened);
    return read_bits(*static_cast<std::vector<bool>*>(object), elements);
}

bool json_reader::read_many(const value_type& type, void* object, ondemand::array& elements) {
    const sequence_hooks& hooks = *type.sequence;
    const std::size_t had = hooks.size(object);
    auto* element = static_cast<std::byte*>(hooks.data(object));
    std::size_t count = 0;
    const auto end = elements.end().value_unsafe();
    for (auto at = elements.begin().value_unsafe(); at != end; ++at, ++count) {
        ondemand::value from;
        if ((*at).get(from)) [[unlikely]]
            return failure_.here(document_, "expected a comma or ]");
        if (count >= had) {
            element = budget_.take(type.element->default_bytes)
                          ? static_cast<std::byte*>(hooks.extend(object, budget_))
                          : nullptr;
            if (element == nullptr) [[unlikely]]
                return fail_memory(place_of(from)) || failure_.in_element(count);
        }
        if (!read_value(*type.element, element, from)) [[unlikely]]
            return failure_.in_element(count);
        element += type.element->size;
    }
    if (count < had) hooks.truncate(object, count);
    return true;
}

bool json_reader::read_array(const value_type& type, void* object, ondemand::array& elements,
                             const char* opened) {
    auto* element = static_cast<std::byte*>(object);
    std::uint32_t count = 0;
    const auto end = elements.end().value_unsafe();
    for (auto at = elements.begin().value_unsafe(); at != end; ++at, ++count) {
        ondemand::value from;
        if ((*at).get(from)) return failure_.here(document_, "expected a comma or ]");
        if (count == type.length) return failure_.at(place_of(from), length_text(type));
        if (!read_value(*type.element, element, from)) return failure_.in_element(count);
        element += type.element->size;
    }
    return count == type.length || failure_.saying(opened, length_text(type, count));
}

bool json_reader::read_bits(std::vector<bool>& bits, ondemand::array& elements) {
    bits.clear();
    const auto end = elements.end().value_unsafe();
    for (auto at = elements.begin().value_unsafe(); at != end; ++at) {
        ondemand::value from;
        bool bit = false;
        if ((*at).get(from)) return failure_.here(document_, "expected a comma or ]");
        if (!read_boolean(&bit, from)) return failure_.in_element(bits.size());
        bits.push_back(bit);
    }
    return true;
}

}  // namespace waybill
