// Maps and variants: objects whose keys are data.
#include "field_match.hpp"
#include "json_reader.hpp"

namespace waybill {

bool json_reader::read_map(const value_type& type, void* object, ondemand::value& from) {
    ondemand::object members;
    return enter(from, members) && read_entries(type, object, members);
}

bool json_reader::read_entries(const value_type& type, void* object, ondemand::object& members) {
    type.map->clear(object);
    const auto end = members.end().value_unsafe();
    for (auto at = members.begin().value_unsafe(); at != end; ++at) {
        ondemand::field member;
        const char* start = nullptr;
        std::string_view key;
        if (!take_member(*at, member, start, key)) return false;
        if (!budget_.take(type.element->default_bytes)) return fail_memory(start);
        const auto [value, is_new] = type.map->insert(object, key, budget_);
        if (value == nullptr) return fail_memory(start);
        if (!is_new) return failure_.at(start, "key comes twice");
        if (!read_value(*type.element, value, member.value())) return failure_.in_key(key);
    }
    return true;
}

bool json_reader::read_variant(const value_type& type, void* object, ondemand::value& from) {
    ondemand::object members;
    return enter(from, members) && read_alternative(type, object, members, place_of(from));
}

bool json_reader::read_alternative(const value_type& type, void* object, ondemand::object& members,
                                   const char* opened) {
    const auto end = members.end().value_unsafe();
    auto at = members.begin().value_unsafe();
    if (!(at != end)) return failure_.saying(opened, one_alternative);
    ondemand::field member;
    const char* start = nullptr;
    std::string_view key;
    if (!take_member(*at, member, start, key)) return false;
    const std::size_t chosen = find_alternative(type, key);
    if (chosen == type.alternatives.size()) return failure_.at(start, alternatives_text(type));
    if (!budget_.take(type.alternatives[chosen].type->default_bytes)) return fail_memory(start);
    void* const value = type.variant->select(object, chosen);
    if (!read_value(*type.alternatives[chosen].type, value, member.value()))
        return failure_.in_field(key);
    ++at;
    return !(at != end) || failure_.here(document_, one_alternative);
}

/// The key of one member; its value comes next.
bool json_reader::take_member(simdjson::simdjson_result<ondemand::field> next,
                              ondemand::field& member, const char*& start, std::string_view& key) {
    if (std::move(next).get(member)) return failure_.here(document_, expected_member);
    start = member.key().raw() - 1;
    return !member.unescaped_key().get(key) || failure_.at(start, bad_escapes);
}

}  // namespace waybill
