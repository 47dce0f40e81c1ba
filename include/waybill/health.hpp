/// How an app is: for a probe, a log or a person.
#pragma once

#include <waybill/export.h>

#include <cstdint>
#include <string>

namespace waybill {

/// Where an app is in its life.
enum class health_state : std::uint8_t {
    starting,
    running,
    degraded,  ///< running, but something needs attention: the reason says what
    stopping,
    stopped,
    failed,  ///< it did not start: the reason says why
};

/// The name of a state, for example "degraded".
WAYBILL_API const char* to_string(health_state state) noexcept;

/// How an app is at one moment.
struct health {
    health_state state = health_state::starting;  ///< where it is in its life
    std::string reason;                           ///< empty when there is nothing to say
};

}  // namespace waybill
