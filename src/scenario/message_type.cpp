#include "scenario/message_type.hpp"

#include <waybill/fields.hpp>

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

namespace waybill::scenario {
namespace {

const value_type& type_of(field_kind kind) {
    switch (kind) {
        case field_kind::boolean:
            return value_type_of<bool>();
        case field_kind::i8:
            return value_type_of<std::int8_t>();
        case field_kind::i16:
            return value_type_of<std::int16_t>();
        case field_kind::i32:
            return value_type_of<std::int32_t>();
        case field_kind::i64:
            return value_type_of<std::int64_t>();
        case field_kind::u8:
            return value_type_of<std::uint8_t>();
        case field_kind::u16:
            return value_type_of<std::uint16_t>();
        case field_kind::u32:
            return value_type_of<std::uint32_t>();
        case field_kind::u64:
            return value_type_of<std::uint64_t>();
        case field_kind::f32:
            return value_type_of<float>();
        case field_kind::f64:
            return value_type_of<double>();
        case field_kind::string:
            return value_type_of<std::string>();
    }
    std::unreachable();
}

/// A codec may read so many bytes from any character of a key.
constexpr std::size_t readable_behind = 16;

std::string key_of(std::string_view name) {
    std::string key{'"'};
    key += name;
    key += '"';
    key.append(readable_behind, '\0');
    return key;
}

field_info field_of(std::size_t index, const message_field& about, const std::string& key) {
    const bool is_text = about.kind == field_kind::string;
    field_info made;
    made.key_text = key.data();
    made.name_size = static_cast<std::uint32_t>(about.name.size());
    made.offset = static_cast<std::uint32_t>(
        index * sizeof(message_cell) +
        (is_text ? offsetof(message_cell, text) : offsetof(message_cell, number)));
    detail::set_head(made);
    made.type = &type_of(about.kind);
    return made;
}

}  // namespace

message_type::message_type(std::span<const message_field> fields) {
    static const message_object pristine;
    const auto count = std::min(fields.size(), most_fields);
    keys_.reserve(count);
    for (std::size_t index = 0; index < count; ++index) {
        keys_.push_back(key_of(fields[index].name));
        fields_[index] = field_of(index, fields[index], keys_.back());
    }
    const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
    about_.kind = value_kind::aggregate;
    about_.size = sizeof(message_object);
    about_.align = alignof(message_object);
    about_.required = all;
    about_.members = all;
    about_.fields = std::span{fields_}.first(count);
    about_.pristine = &pristine;
    about_.name = "message";
    about_.construct = [](void* place) { ::new (place) message_object{}; };
    about_.destroy = [](void* object) noexcept {
        static_cast<message_object*>(object)->~message_object();
    };
    about_.assign = detail::copy_assign<message_object>;
}

std::shared_ptr<const message_type> make_message_type(std::span<const message_field> fields) {
    return std::make_shared<const message_type>(fields);
}

codec codec_of(codec_name name) {
    switch (name) {
        case codec_name::raw:
            return codecs::raw();
        case codec_name::json:
            return codecs::json();
        case codec_name::cbor:
            return codecs::cbor();
        case codec_name::msgpack:
            return codecs::msgpack();
    }
    std::unreachable();
}

}  // namespace waybill::scenario
