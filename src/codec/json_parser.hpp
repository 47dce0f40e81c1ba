/// What a thread keeps from one JSON text to the next: simdjson's parser and a buffer.
#pragma once

#include <waybill/byte_buffer.hpp>

#include <simdjson.h>

#include <cstddef>

namespace waybill {

/// The parser of this thread, with room for a text of `size` bytes, or null when there is no
/// memory. Allocates only when no text on this thread was as long before.
[[nodiscard]] simdjson::ondemand::parser* json_parser(std::size_t size) noexcept;

/// An empty buffer of this thread, with room for `size` bytes, good until its next use.
[[nodiscard]] byte_buffer& json_scratch(std::size_t size);

}  // namespace waybill
