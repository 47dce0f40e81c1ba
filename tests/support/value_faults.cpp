#include "value_faults.hpp"

#include "codec/integers.hpp"
#include "codec/wire_value.hpp"
#include "utf8_model.hpp"

#include <cmath>
#include <string>
#include <string_view>

namespace support {
namespace {

using waybill::value_kind;
using waybill::value_type;

class fault_finder {
public:
    void look(const value_type& type, const void* object) {
        switch (type.kind) {
            case value_kind::string:
                return look_at(*static_cast<const std::string*>(object));
            case value_kind::borrowed_string:
                return look_at(*static_cast<const std::string_view*>(object));
            case value_kind::float32:
                found.not_finite |= !std::isfinite(waybill::load_as<float>(object));
                return;
            case value_kind::float64:
                found.not_finite |= !std::isfinite(waybill::load_as<double>(object));
                return;
            case value_kind::enumeration:
                found.unnamed |= waybill::find_enumerator(type, object) == nullptr;
                return;
            case value_kind::scalar:
                return look_at(*type.scalar, object);
            case value_kind::optional:
                if (const void* const value = type.optional->get(object))
                    look(*type.element, value);
                return;
            case value_kind::aggregate:
            case value_kind::sequence:
            case value_kind::bits:
            case value_kind::array:
            case value_kind::map:
            case value_kind::variant:
                found.too_deep |= ++depth_ > 64;
                look_inside(type, object);
                --depth_;
                return;
            case value_kind::none:
            case value_kind::opaque:
                found.opaque = true;
                return;
            case value_kind::boolean:
            case value_kind::signed_integer:
            case value_kind::unsigned_integer:
            case value_kind::bytes:
            case value_kind::fixed_bytes:
            case value_kind::borrowed_bytes:
                return;
        }
    }

    value_faults found;

private:
    void look_at(std::string_view text) { found.ill_formed_text |= !is_well_formed(text); }

    void look_at(const waybill::scalar_hooks& scalar, const void* object) {
        std::string problem;
        waybill::wire_value wire{scalar, object, problem};
        if (wire.is_alive())
            look(*scalar.written, wire.get());
        else
            found.refused_scalar = true;
    }

    void look_inside(const value_type& type, const void* object) {
        if (type.kind == value_kind::aggregate) {
            for (const auto& field : type.fields) look(*field.type, field.of(object));
        } else if (type.kind == value_kind::sequence) {
            look_at_each(*type.element, type.sequence->data(const_cast<void*>(object)),
                         type.sequence->size(object));
        } else if (type.kind == value_kind::array) {
            look_at_each(*type.element, object, type.length);
        } else if (type.kind == value_kind::map) {
            look_at_entries(type, object);
        } else if (type.kind == value_kind::variant) {
            const std::size_t index = type.variant->index(object);
            look(*type.alternatives[index].type, type.variant->get(object));
        }
    }

    void look_at_each(const value_type& element, const void* first, std::size_t count) {
        const auto* at = static_cast<const std::byte*>(first);
        for (std::size_t i = 0; i < count; ++i, at += element.size) look(element, at);
    }

    void look_at_entries(const value_type& type, const void* map) {
        struct visit {
            fault_finder& finder;
            const value_type& element;
        } each{*this, *type.element};
        const auto look_at_one = [](void* context, std::string_view key, const void* value) {
            const auto& [finder, element] = *static_cast<visit*>(context);
            finder.look_at(key);
            finder.look(element, value);
            return true;
        };
        type.map->visit(map, look_at_one, &each);
    }

    int depth_ = 0;
};

}  // namespace

value_faults faults_of(const value_type& type, const void* object) {
    fault_finder finder;
    finder.look(type, object);
    return finder.found;
}

}  // namespace support
