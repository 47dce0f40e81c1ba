/// The one error type: what went wrong, where, and what to do about it.
///
/// Guarantee: no field ever holds a credential or more of a payload than 32 bytes.
#pragma once

#include <waybill/export.h>

#include <cstdint>
#include <iosfwd>
#include <string>

namespace waybill {

/// What kind of thing went wrong. Stable: programs may branch on it.
enum class errc : std::uint8_t {
    decode,      ///< a payload is not what the message type says
    encode,      ///< a value cannot be written by this codec
    wiring,      ///< a declaration is wrong; found by `check` and at start
    publish,     ///< the broker did not take a message; trying again may help
    unroutable,  ///< no queue or subscriber took a message
    refused,     ///< the broker will never take this message
    stopped,     ///< the app or the broker is not running
    connection,  ///< the broker cannot be reached, or the connection fell
    argument,    ///< a value given to a function is outside what it accepts
    failed,      ///< user code or the environment failed
};

/// The name of a code, for example "decode".
WAYBILL_API const char* to_string(errc code) noexcept;

/// An owned description of a failure. `where` is a place a person can go to (a subscription, a
/// field path with a byte offset, an address), `what` a sentence, `fix` what to do ("" when there
/// is nothing to advise).
struct WAYBILL_API error {
    errc code{};        ///< what kind of thing went wrong
    std::string where;  ///< a place that a person can go to
    std::string what;   ///< a sentence, without its full stop
    std::string fix;    ///< what to do; may be empty

    /// "where: what. fix" on one line.
    [[nodiscard]] std::string message() const;

    /// Field by field.
    friend bool operator==(const error&, const error&) = default;
};

/// As `message()` has it.
WAYBILL_API std::ostream& operator<<(std::ostream& stream, const error& failure);

}  // namespace waybill
