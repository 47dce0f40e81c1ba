/// Percent-encoding, as URLs and addresses have it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace waybill::rabbitmq {

/// Nothing where a '%' is not followed by two hexadecimal digits.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);
/// Everything but letters, digits and "-_.~" is encoded.
void append_percent_encoded(std::string& to, std::string_view plain);

}  // namespace waybill::rabbitmq
