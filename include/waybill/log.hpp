/// What the runtime says about itself: one structured line an event, on standard error unless the
/// app names a sink. No line ever holds a credential, or of a payload more than the 32 bytes that
/// an error may quote.
#pragma once

#include <cstdint>

namespace waybill {

/// How much it matters; `off` logs nothing.
enum class log_level : std::uint8_t { debug, info, warning, error, off };

/// How one line looks.
enum class log_format : std::uint8_t {
    text,  ///< 2026-01-31T12:00:00.000Z info  started subscription=charge counted_by=broker
    json,  ///< {"at":"2026-01-31T12:00:00.000Z","level":"info","event":"started",...}
};

}  // namespace waybill
