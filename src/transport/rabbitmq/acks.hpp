/// Which deliveries of one channel are settled, and in how few frames that can be said.
///
/// Guarantee: `multiple` is used only over a run that is settled from the front, so nothing is
/// acked that was not. One that is long in hand holds no memory of those that came after it. Pure;
/// belongs to the thread of its connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

namespace waybill::rabbitmq {

class acks {
public:
    /// The next delivery: tags count up from 1 on a channel.
    void delivered(std::uint64_t tag);
    /// Is it in hand? What is not was settled before, or never came.
    [[nodiscard]] bool is_unsettled(std::uint64_t tag) const noexcept;
    /// To be acked by the next `take`.
    void ack(std::uint64_t tag);
    /// Given back or rejected, by a frame of its own.
    void settled_otherwise(std::uint64_t tag) noexcept;
    [[nodiscard]] std::size_t unsettled() const noexcept { return unsettled_; }
    /// The tag of the delivery that comes next.
    [[nodiscard]] std::uint64_t next() const noexcept { return first_ + states_.size(); }

    struct frame {
        std::uint64_t tag = 0;
        bool multiple = false;
        friend bool operator==(const frame&, const frame&) = default;
    };
    /// Hands `each(frame)` what says all that is to be acked, in order.
    template <class Each>
    void take(Each each) {
        for (const auto tag : acked_aside_) each(frame{tag, false});
        acked_aside_.clear();
        if (const auto run = take_run()) each(*run);
        for (const auto tag : scattered_) {
            if (!to_be_acked(tag)) continue;
            state_of(tag) = state::settled;
            each(frame{tag, false});
        }
        scattered_.clear();
        if (!aside_.empty() || states_.size() > most_states()) set_aside();
    }

    /// Hands `each(tag)` all that is in hand, in order: it goes back.
    template <class Each>
    void take_back(Each each) {
        while (!aside_.empty()) {
            const auto tag = *aside_.begin();
            settled_otherwise(tag);
            each(tag);
        }
        for (std::size_t at = 0; at < states_.size(); ++at) {
            if (states_[at] != state::unsettled) continue;
            settled_otherwise(first_ + at);
            each(first_ + at);
        }
    }

private:
    enum class state : std::uint8_t { unsettled, acked, settled };

    [[nodiscard]] bool to_be_acked(std::uint64_t tag) noexcept {
        return tag >= first_ && state_of(tag) == state::acked;
    }
    [[nodiscard]] state& state_of(std::uint64_t tag) noexcept { return states_[tag - first_]; }
    std::optional<frame> take_run();
    [[nodiscard]] std::size_t most_states() const noexcept { return 1024 + 2 * unsettled_; }
    void set_aside();

    std::deque<state> states_;  ///< from `first_` on
    std::uint64_t first_ = 1;
    std::vector<std::uint64_t> scattered_;  ///< acked since the last `take`
    std::set<std::uint64_t> aside_;         ///< in hand, and before `first_`
    std::vector<std::uint64_t> acked_aside_;
    std::size_t unsettled_ = 0;
};

}  // namespace waybill::rabbitmq
