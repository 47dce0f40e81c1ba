/// What the server says when a declaration is not what exists: `inequivalent arg 'x-max-length' for
/// queue ...: received none but current is the value '5' of type 'long'`. Pure.
///
/// Guarantee: views into the text. The server cuts its words after 255 bytes; what was cut off is
/// missing here too.
#pragma once

#include <optional>
#include <string_view>

namespace waybill::rabbitmq {

/// `the value '5' of type 'long'`, or `none`.
struct said_value {
    std::string_view value;
    std::string_view type;  ///< empty: it has none

    /// The text between its quotes; nothing where it has none.
    [[nodiscard]] std::optional<std::string_view> quoted() const noexcept;
};

struct mismatch {
    std::string_view argument;
    std::string_view received;
    std::string_view current;
};

/// Nothing: the text says something else.
[[nodiscard]] std::optional<mismatch> read_mismatch(std::string_view text) noexcept;
[[nodiscard]] said_value read_value(std::string_view text) noexcept;

}  // namespace waybill::rabbitmq
