/// One direction of a connection: reads from one socket, writes to the other, and stops where a
/// rule has something to do.
///
/// Guarantee: bytes pass in order and unchanged. An action is due when all that is to pass before
/// it has reached the receiver's kernel (or a second went by without that), and nothing behind it
/// was written. Owns no socket. Belongs to the proxy's thread.
#pragma once

#include "frame.hpp"
#include "rule.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <string>

namespace faults {

using instant = std::chrono::steady_clock::time_point;

enum class splitting : std::uint8_t { off, bytes, random };

class stream {
public:
    /// Asks what is to be done about a piece that begins to pass.
    using meet = std::function<std::vector<due_action>(side, const piece&)>;

    stream(side from, int in, int out, std::uint64_t seed, meet ask);

    [[nodiscard]] side from() const noexcept { return from_; }
    [[nodiscard]] bool wants_to_read(instant now) const noexcept;
    [[nodiscard]] bool wants_to_write(instant now) const noexcept;
    /// When it has something to do that no socket will tell of.
    [[nodiscard]] std::optional<instant> wakes() const noexcept;
    /// Nothing more will pass.
    [[nodiscard]] bool done() const noexcept { return shut_ || broken_; }

    void read();
    void write();
    /// Moves on as far as it may; the action that is due now, if one is.
    std::optional<action> advance(instant now);

    void hold_until(instant end) noexcept { held_until_ = end; }
    void split(splitting how) noexcept { split_ = how; }
    /// Its receiver is gone.
    void break_off() noexcept { broken_ = true; }

private:
    [[nodiscard]] std::size_t left() const noexcept { return pending_.size() - written_; }
    [[nodiscard]] bool held(instant now) const noexcept { return now < held_until_; }
    bool reached(instant now);
    void pass(std::size_t up_to);

    side from_;
    int in_;
    int out_;
    meet ask_;
    std::minstd_rand random_;
    frame_reader reader_;
    std::string pending_;
    std::size_t written_ = 0;  // of what is pending
    std::optional<piece> current_;
    std::size_t passed_ = 0;  // of the current piece
    std::deque<due_action> due_;
    instant held_until_ = instant::min();
    std::optional<instant> patience_;
    splitting split_ = splitting::off;
    bool ended_ = false;
    bool shut_ = false;
    bool broken_ = false;
};

}  // namespace faults
