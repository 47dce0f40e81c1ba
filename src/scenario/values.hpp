/// What a message carries, as files and traces have it.
#pragma once

#include "scenario/json.hpp"
#include <waybill/headers.hpp>

#include <cstddef>
#include <span>

namespace waybill::scenario {

/// Adds "payload", or "payload_base64" where it is no UTF-8.
void add_payload(json::object& to, std::span<const std::byte> payload);
/// A list of pairs of a name and a value.
[[nodiscard]] json::array headers_of(const headers& all);

}  // namespace waybill::scenario
