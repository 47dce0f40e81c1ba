#include "stream.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace faults {
namespace {

constexpr std::size_t room = 64UL * 1024;
constexpr std::size_t enough_pending = 4 * room;
constexpr std::size_t longest_random_write = 64;
constexpr std::chrono::seconds patience{1};
constexpr std::chrono::milliseconds look_again{1};

/// Bytes that the receiver's kernel has not acknowledged.
int on_the_way(int socket) noexcept {
    int bytes = 0;
    return ::ioctl(socket, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

}  // namespace

stream::stream(side from, int in, int out, std::uint64_t seed, meet ask)
    : from_{from},
      in_{in},
      out_{out},
      ask_{std::move(ask)},
      random_{static_cast<std::minstd_rand::result_type>(seed)} {}

bool stream::wants_to_read(instant now) const noexcept {
    return !ended_ && !broken_ && !held(now) && due_.empty() && left() < enough_pending;
}

bool stream::wants_to_write(instant now) const noexcept {
    return left() != 0 && !broken_ && !held(now);
}

std::optional<instant> stream::wakes() const noexcept {
    if (done()) return std::nullopt;
    if (patience_) return std::chrono::steady_clock::now() + look_again;
    if (held_until_ != instant::min() && held_until_ != instant::max()) return held_until_;
    return std::nullopt;
}

void stream::read() {
    std::array<char, room> bytes;
    const auto count = ::recv(in_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count > 0) {
        reader_.feed({bytes.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        ended_ = true;
    }
}

void stream::write() {
    auto size = left();
    if (split_ == splitting::bytes) size = 1;
    if (split_ == splitting::random) size = std::min(size, 1 + random_() % longest_random_write);
    const auto count = ::send(out_, pending_.data() + written_, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) {
        written_ += static_cast<std::size_t>(count);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        broken_ = true;
    }
}

void stream::pass(std::size_t up_to) {
    pending_.erase(0, std::exchange(written_, 0));
    pending_.append(current_->bytes, passed_, up_to - passed_);
    passed_ = up_to;
}

bool stream::reached(instant now) {
    if (left() != 0) return false;
    if (on_the_way(out_) == 0) return true;
    if (!patience_) patience_ = now + patience;
    return now >= *patience_;
}

std::optional<action> stream::advance(instant now) {
    if (!held(now)) held_until_ = instant::min();
    while (!done() && !held(now)) {
        if (!current_) {
            if (left() >= enough_pending) return std::nullopt;
            current_ = ended_ ? reader_.rest() : reader_.next();
            if (!current_) break;
            passed_ = 0;
            for (auto& each : ask_(from_, *current_)) due_.push_back(std::move(each));
        }
        if (due_.empty()) {
            pass(current_->bytes.size());
            current_.reset();
            continue;
        }
        pass(due_.front().at);
        if (!reached(now)) return std::nullopt;
        patience_.reset();
        auto act = std::move(due_.front().act);
        due_.pop_front();
        return act;
    }
    if (ended_ && !current_ && left() == 0 && !held(now) && !done()) {
        ::shutdown(out_, SHUT_WR);
        shut_ = true;
    }
    return std::nullopt;
}

}  // namespace faults
