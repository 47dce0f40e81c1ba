/// Reads the values of a JSON text by the tables of their types.
#pragma once

#include "field_match.hpp"
#include "json_scalars.hpp"
#include "json_skip.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace waybill {

/// Goes through the text once, as On-Demand does. Functions return false after a failure, which
/// `failure_` then holds. Those for an array or object that is entered are told where it opened.
class json_reader : protected json_scalars {
protected:
    json_reader(ondemand::document& document, std::string_view text, arena& kept, json_skip& skip,
                int deepest) noexcept
        : json_scalars(text, kept),
          document_(document),
          budget_(text.size()),
          skip_(skip),
          deepest_(deepest) {}

    bool read_value(const value_type& type, void* object, ondemand::value& from);

    /// In json_arrays.cpp.
    bool read_elements(const value_type& type, void* object, ondemand::array& elements,
                       const char* opened);

    bool read_members(const value_type& type, void* object, ondemand::object& members,
                      const char* opened);

    /// In json_maps.cpp.
    bool read_entries(const value_type& type, void* object, ondemand::object& members);
    bool read_alternative(const value_type& type, void* object, ondemand::object& members,
                          const char* opened);

    bool fail_memory(const char* place) { return failure_.saying(place, over_budget); }

    ondemand::document& document_;

private:
    bool read_optional(const value_type& type, void* object, ondemand::value& from);
    bool read_scalar(const scalar_hooks& scalar, void* object, ondemand::value& from);

    bool read_sequence(const value_type& type, void* object, ondemand::value& from);
    bool read_many(const value_type& type, void* object, ondemand::array& elements);
    bool read_array(const value_type& type, void* object, ondemand::array& elements,
                    const char* opened);
    bool read_bits(std::vector<bool>& bits, ondemand::array& elements);

    /// Enters the object that stands there.
    bool enter(ondemand::value& from, ondemand::object& members) {
        const int level = from.current_depth();
        if (from.get_object().get(members)) [[unlikely]]
            return fail_at(from, "expected an object");
        return level <= deepest_ || fail_at(from, too_deep);
    }
    bool read_aggregate(const value_type& type, void* object, ondemand::value& from);
    bool find_field(const value_type& type, ondemand::field& member, const field_info*& known);
    bool finish_absent(const value_type& type, void* object, std::uint32_t absent,
                       const char* opened);

    bool read_map(const value_type& type, void* object, ondemand::value& from);
    bool read_variant(const value_type& type, void* object, ondemand::value& from);
    bool take_member(simdjson::simdjson_result<ondemand::field> next, ondemand::field& member,
                     const char*& start, std::string_view& key);

    memory_budget budget_;
    json_skip& skip_;  // for members that the type does not have
    int deepest_;      // the level of the deepest value that may be an array or object
};

}  // namespace waybill
