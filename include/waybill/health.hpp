/// How an app is: for a probe, a log or a person.
#pragma once

#include <waybill/export.h>

#include <cstdint>
#include <string>

namespace waybill {

enum class health_state : std::uint8_t {
    starting,
    running,
    degraded,  ///< running, but something needs attention: the reason says what
    stopping,
    stopped,
    failed,  ///< it did not start: the reason says why
};

WAYBILL_API const char* to_string(health_state state) noexcept;

struct health {
    health_state state = health_state::starting;
    std::string reason;  ///< empty when there is nothing to say
};

}  // namespace waybill
