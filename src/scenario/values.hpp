/// What a message carries, as files and traces have it.
#pragma once

#include "scenario/json.hpp"
#include <waybill/headers.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace waybill::scenario {

/// Adds "payload", or "payload_base64" where it is no UTF-8.
void add_payload(json::object& to, std::span<const std::byte> payload);
/// A header's value without a type of its transport's own.
[[nodiscard]] json::value value_of(const header_value& value);
[[nodiscard]] std::string base64_of(std::span<const std::byte> bytes);

}  // namespace waybill::scenario
