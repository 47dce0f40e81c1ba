/// What a thread keeps from one JSON text to the next: simdjson's parser and a buffer.
#pragma once

#include <waybill/byte_buffer.hpp>

#include <simdjson.h>

#include <cstddef>
#include <memory>

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

/// While it lives, JSON that is read on this thread is read by another parser, and leaves alone
/// what the one that reads now has before it.
class json_parser_pause {
public:
    json_parser_pause() noexcept;
    ~json_parser_pause();
    json_parser_pause(const json_parser_pause&) = delete;
    json_parser_pause& operator=(const json_parser_pause&) = delete;

private:
    std::unique_ptr<simdjson::ondemand::parser> reading_;
    json_thread here_;
};

/// An empty buffer of this thread, with room for `size` bytes, good until its next use.
[[nodiscard]] byte_buffer& json_scratch(std::size_t size);

}  // namespace waybill
