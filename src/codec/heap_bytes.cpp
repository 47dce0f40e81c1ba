#include <waybill/fields.hpp>

#include <string>
#include <vector>

namespace waybill::detail {
namespace {

std::size_t of_elements(const value_type& type, const void* first, std::size_t count) {
    std::size_t all = 0;
    const auto* element = static_cast<const std::byte*>(first);
    for (std::size_t i = 0; i < count; ++i, element += type.size) all += heap_bytes(type, element);
    return all;
}

std::size_t of_sequence(const value_type& type, const void* object) {
    const std::size_t count = type.sequence->size(object);
    // The hook takes a mutable sequence because readers need it so.
    const void* const first = type.sequence->data(const_cast<void*>(object));
    return count * type.element->size + of_elements(*type.element, first, count);
}

std::size_t of_map(const value_type& type, const void* object) {
    struct sum {
        const value_type& element;
        std::size_t all = 0;
    } context{*type.element};
    const auto add = [](void* at, std::string_view key, const void* value) {
        auto& [element, all] = *static_cast<sum*>(at);
        all += 2 * sizeof(std::string) + key.size() + element.size + heap_bytes(element, value);
        return true;
    };
    type.map->visit(object, add, &context);
    return context.all;
}

}  // namespace

std::size_t heap_bytes(const value_type& type, const void* object) {
    switch (type.kind) {
        case value_kind::string:
            return static_cast<const std::string*>(object)->size();
        case value_kind::bytes:
            return static_cast<const std::vector<std::byte>*>(object)->size();
        case value_kind::bits:
            return static_cast<const std::vector<bool>*>(object)->size() / 8;
        case value_kind::optional: {
            const void* const value = type.optional->get(object);
            return value == nullptr ? 0 : heap_bytes(*type.element, value);
        }
        case value_kind::sequence:
            return of_sequence(type, object);
        case value_kind::array:
            return of_elements(*type.element, object, type.length);
        case value_kind::map:
            return of_map(type, object);
        case value_kind::variant: {
            const std::size_t index = type.variant->index(object);
            return index < type.alternatives.size()
                       ? heap_bytes(*type.alternatives[index].type, type.variant->get(object))
                       : 0;
        }
        case value_kind::aggregate: {
            std::size_t all = 0;
            for (const field_info& one : type.fields) all += heap_bytes(*one.type, one.of(object));
            return all;
        }
        default:
            return 0;
    }
}

}  // namespace waybill::detail
