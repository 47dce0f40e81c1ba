/// Says what an app declares and what that comes to on its transports. Holds no credential.
#pragma once

#include <string>

namespace waybill::detail {
class app_core;
}

namespace waybill::wiring {

/// A table for people.
[[nodiscard]] std::string describe_text(const detail::app_core& core);
/// One JSON object.
[[nodiscard]] std::string describe_json(const detail::app_core& core);

}  // namespace waybill::wiring
