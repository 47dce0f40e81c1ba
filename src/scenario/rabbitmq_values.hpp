/// Values of AMQP 0-9-1 as JSON: a table is an object, an array a list, bytes `{"base64"}`.
///
/// A whole number is written as a signed integer of 64 bits, another one as a double; whatever its
/// width, a number is read as a number, and so are the seconds of a timestamp.
#pragma once

#include "scenario/json.hpp"
#include <waybill/headers.hpp>

#include <expected>
#include <string>
#include <string_view>

namespace waybill::scenario {

/// The error says what the protocol cannot hold; then nothing was added.
[[nodiscard]] std::expected<void, std::string> append_amqp(headers& to, std::string_view name,
                                                           const json::value& what);
[[nodiscard]] json::value amqp_as_json(const header_value& value);

}  // namespace waybill::scenario
