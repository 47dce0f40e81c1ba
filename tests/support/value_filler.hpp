/// Makes values of any type by its table.
#pragma once

#include "choices.hpp"
#include <waybill/arena.hpp>
#include <waybill/value_type.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace support {

enum class content {
    writable,  ///< what every codec has a form for
    anything,  ///< ill-formed UTF-8, NaN, enums without a name, times out of range, deep nesting
               ///< too
};

/// Decides by `choices`, kind by kind, through the hooks that codecs use. Members that are left out
/// on the wire stay as in a `T{}`; what borrows views `kept`.
class value_filler {
public:
    value_filler(choices& from, waybill::arena& kept, content what, std::size_t most_values)
        : from_(from), kept_(kept), what_(what), left_(most_values) {}

    /// `object` is a live one of `type`.
    void fill(const waybill::value_type& type, void* object);

private:
    bool wild() const noexcept { return what_ == content::anything; }
    std::size_t count();
    std::size_t size();

    std::uint64_t integer(std::size_t size);
    template <class Number>
    Number real();
    std::string text();
    std::string time();

    void fill_inside(const waybill::value_type& type, void* object);
    void fill_bytes(const waybill::value_type& type, void* object);
    void fill_enumeration(const waybill::value_type& type, void* object);
    void fill_optional(const waybill::value_type& type, void* object);
    void fill_aggregate(const waybill::value_type& type, void* object);
    void fill_sequence(const waybill::value_type& type, void* object);
    void fill_map(const waybill::value_type& type, void* object);
    void fill_variant(const waybill::value_type& type, void* object);
    void fill_scalar(const waybill::value_type& type, void* object);

    choices& from_;
    waybill::arena& kept_;
    content what_;
    std::size_t left_;  // of values that may still be made
    std::size_t depth_ = 0;
};

}  // namespace support
