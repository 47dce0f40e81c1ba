#include "scenario/live/line_socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace waybill::scenario {

line_socket::~line_socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool line_socket::send(const json::value& line) {
    auto text = json::to_text(line);
    text += '\n';
    for (std::size_t sent = 0; sent < text.size();) {
        const auto count =
            ::send(descriptor_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (count > 0) {
            sent += static_cast<std::size_t>(count);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

std::optional<json::value> line_socket::take_line() {
    const auto end = pending_.find('\n', looked_at_);
    looked_at_ = pending_.size();
    if (end == pending_.npos) return std::nullopt;
    auto read = json::parse(std::string_view{pending_}.substr(0, end));
    pending_.erase(0, end + 1);
    looked_at_ = 0;
    return read ? std::optional{std::move(*read)} : std::optional{json::value{}};
}

std::optional<json::value> line_socket::receive(std::optional<std::chrono::milliseconds> at_most) {
    const auto end = std::chrono::steady_clock::now() + at_most.value_or(std::chrono::hours{1});
    for (;;) {
        if (auto line = take_line()) return line;
        if (is_over_) return std::nullopt;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd waits{descriptor_, POLLIN, 0};
        const auto wait = std::max<long>(left.count(), 0);
        const int ready = ::poll(&waits, 1, static_cast<int>(wait));
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) {
            if (at_most) return std::nullopt;
            continue;
        }
        std::array<char, 1 << 16> piece;
        const auto count = ::recv(descriptor_, piece.data(), piece.size(), 0);
        if (count > 0) {
            pending_.append(piece.data(), static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            is_over_ = true;
        }
    }
}

}  // namespace waybill::scenario
