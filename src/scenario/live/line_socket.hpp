/// Lines of JSON between two processes, over a socket.
///
/// Owns the descriptor. `send` and `receive` may be called by two threads; each by one at a time.
#pragma once

#include "scenario/json.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace waybill::scenario {

class line_socket {
public:
    explicit line_socket(int descriptor) noexcept : descriptor_{descriptor} {}
    ~line_socket();
    line_socket(const line_socket&) = delete;
    line_socket& operator=(const line_socket&) = delete;

    /// False: nobody reads it any more.
    bool send(const json::value& line);
    /// The next line, waiting so long at most (nothing said: for ever); nothing when the time is
    /// over, or when `is_over`.
    [[nodiscard]] std::optional<json::value> receive(
        std::optional<std::chrono::milliseconds> at_most);
    /// The other end is gone, and all it said has been received.
    [[nodiscard]] bool is_over() const noexcept { return is_over_; }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    std::optional<json::value> take_line();

    int descriptor_;
    std::string pending_;
    std::size_t looked_at_ = 0;
    bool is_over_ = false;
};

}  // namespace waybill::scenario
