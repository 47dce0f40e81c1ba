/// A message that a file declares, as the codecs know one: a table made at run time.
#pragma once

#include "scenario/scenario.hpp"
#include <waybill/codec.hpp>
#include <waybill/detail/transport.hpp>
#include <waybill/value_type.hpp>

#include <array>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace waybill::scenario {

/// Where an object of any declared message keeps a field: numbers and truths in front.
struct message_cell {
    alignas(std::uint64_t) std::array<std::byte, sizeof(std::uint64_t)> number{};
    std::string text;
};
/// An object of any declared message: field i lies in cell i.
struct message_object {
    std::array<message_cell, most_fields> cells;
};

/// Owns the table and the names in it. Every field must be in a payload.
class message_type {
public:
    /// At most `most_fields`, of different names.
    explicit message_type(std::span<const message_field> fields);
    message_type(const message_type&) = delete;
    message_type& operator=(const message_type&) = delete;

    /// Of a `message_object`; as good as this is.
    [[nodiscard]] const value_type& type() const noexcept { return about_; }

private:
    std::vector<std::string> keys_;
    std::array<field_info, most_fields> fields_;
    value_type about_;
};

[[nodiscard]] std::shared_ptr<const message_type> make_message_type(
    std::span<const message_field> fields);

[[nodiscard]] codec codec_of(codec_name name);

/// What a publish with that `value` sends to a reader like this one. A member stands on the wire as
/// the declared field of its name if it fits, else as what it is: it need not be what the reader
/// wants. JSON (also for `raw`) holds any value, the other codecs an object of simple members; the
/// error says what cannot be written.
[[nodiscard]] std::expected<bytes, std::string> encode(const json::value& what,
                                                       const subscription& reader);

/// What a step sends: its bytes, or its value as the codec of whoever reads the address writes it.
[[nodiscard]] bytes payload_of(const step::publish& one, const scenario& told,
                               const detail::broker_config& at);

}  // namespace waybill::scenario
