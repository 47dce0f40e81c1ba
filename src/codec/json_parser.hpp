/// What a thread keeps from one JSON text to the next: simdjson's parser and a buffer.
#pragma once

#include <waybill/byte_buffer.hpp>

#include <simdjson.h>

#include <cstddef>

namespace waybill {

/// This thread's parser and the longest text it is for. A bare pointer spares the good path the
/// guard of an object with a destructor.
struct json_thread {
    simdjson::ondemand::parser* parser = nullptr;
    std::size_t limit = 0;
};
extern constinit thread_local json_thread json_here;

[[gnu::cold]] simdjson::ondemand::parser* make_json_parser(std::size_t size) noexcept;

/// The parser of this thread, with room for a text of `size` bytes, or null when there is no
/// memory. Allocates only when no text on this thread was as long before.
[[nodiscard]] inline simdjson::ondemand::parser* json_parser(std::size_t size) noexcept {
    return size < json_here.limit ? json_here.parser : make_json_parser(size);
}

/// An empty buffer of this thread, with room for `size` bytes, good until its next use.
[[nodiscard]] byte_buffer& json_scratch(std::size_t size);

}  // namespace waybill
