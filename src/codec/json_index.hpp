/// Where the tokens of a JSON text are: simdjson's first pass, and nothing else of it.
///
/// Guarantee: a text that passes is valid UTF-8, its strings are closed and hold no raw control
/// character. Every bracket, colon, comma, opening quote and first character of a number or literal
/// has its offset in the index, in order; the closing quotes have none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace waybill {

enum class json_fault : std::uint8_t {
    none,
    empty,
    not_utf8,
    unclosed_string,
    control_character,
    too_large,  ///< 4 GiB or more
    no_memory,
};

/// The offsets [first, last). Behind them stand two more that may be read: both the text's size.
struct json_index {
    const std::uint32_t* first = nullptr;
    const std::uint32_t* last = nullptr;
};

/// Makes the index of `text`, which stays good until this thread's next call. Allocates only when
/// the text is longer than any before it on this thread.
[[nodiscard]] json_fault index_json(std::span<const std::byte> text, json_index& index) noexcept;

}  // namespace waybill
