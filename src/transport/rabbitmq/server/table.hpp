/// Tables and arrays as they stand on the wire: what the server writes into headers itself
/// (`x-death`), and what it reads there (`CC`).
///
/// Guarantee: bytes that are no table give the fields before the first that cannot be read, and
/// never more. What is read views the bytes.
#pragma once

#include "transport/rabbitmq/field_types.hpp"
#include <waybill/byte_buffer.hpp>
#include <waybill/headers.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::rabbitmq::fake {

/// A table's entries or an array's elements, one after the other.
class field_writer {
public:
    field_writer& text(std::string_view name, std::string_view value);
    field_writer& integer(std::string_view name, std::int64_t value);
    field_writer& seconds(std::string_view name, std::uint64_t value);
    field_writer& texts(std::string_view name, std::span<const std::string> values);
    /// An element of an array. @{
    field_writer& text(std::string_view value);
    field_writer& table(const field_writer& entries);
    /// @}
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_.bytes(); }

private:
    void name(std::string_view of);
    void type(char of);
    void sized(char of, std::span<const std::byte> value);

    byte_buffer bytes_;
};

/// One field, and what can be understood of its value.
struct field : raw_field {
    [[nodiscard]] std::optional<std::string> text() const;
    [[nodiscard]] std::optional<std::int64_t> integer() const;
};

[[nodiscard]] std::vector<field> fields_of_table(std::span<const std::byte> bytes);
[[nodiscard]] std::vector<field> fields_of_array(std::span<const std::byte> bytes);
/// The texts among an array's elements.
[[nodiscard]] std::vector<std::string> texts_of_array(std::span<const std::byte> bytes);

/// The header of exactly that name; properties are none.
[[nodiscard]] std::optional<header_value> find_exact(const headers& in, std::string_view name);
/// The texts of a header that is an array, such as CC; nothing when there is none of that name.
[[nodiscard]] std::vector<std::string> texts_of_header(const headers& in, std::string_view name);

/// By name, byte by byte, properties in front; of several of one name all, or only the first: how
/// servers hand headers on that they have touched, and from 4.0 on all others too.
void sort_by_name(headers& all, bool only_first);

}  // namespace waybill::rabbitmq::fake
