/// What others should see of a value on the wire: its JSON, as nlohmann-json holds it.
#pragma once

#include <waybill/value_type.hpp>

#include <nlohmann/json.hpp>

namespace support {

/// In text, bytes are base64 and a float has as few digits as it needs.
enum class wire_form { text, binary };

/// The value has a form in every codec.
[[nodiscard]] nlohmann::json seen_as_json(const waybill::value_type& type, const void* object,
                                          wire_form form);

}  // namespace support
