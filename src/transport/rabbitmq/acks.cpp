#include "transport/rabbitmq/acks.hpp"

namespace waybill::rabbitmq {

void acks::delivered(std::uint64_t tag) {
    if (states_.empty()) first_ = tag;
    states_.push_back(state::unsettled);
    ++unsettled_;
}

bool acks::is_unsettled(std::uint64_t tag) const noexcept {
    if (tag < first_) return aside_.contains(tag);
    return tag - first_ < states_.size() && states_[tag - first_] == state::unsettled;
}

void acks::ack(std::uint64_t tag) {
    if (!is_unsettled(tag)) return;
    --unsettled_;
    if (aside_.erase(tag) != 0) return acked_aside_.push_back(tag);
    state_of(tag) = state::acked;
    scattered_.push_back(tag);
}

void acks::settled_otherwise(std::uint64_t tag) noexcept {
    if (!is_unsettled(tag)) return;
    --unsettled_;
    if (aside_.erase(tag) == 0) state_of(tag) = state::settled;
}

/// What is settled from the front is forgotten, and acked by one frame.
std::optional<acks::frame> acks::take_run() {
    std::optional<frame> run;
    if (!aside_.empty()) return run;
    while (!states_.empty() && states_.front() != state::unsettled) {
        if (states_.front() == state::acked) run = frame{first_, run.has_value()};
        states_.pop_front();
        ++first_;
    }
    return run;
}

/// After a `take`, so nothing waits to be acked. What was settled at the front goes, and while that
/// leaves too much, what is in hand there is kept for itself.
void acks::set_aside() {
    while (!states_.empty()) {
        const bool in_hand = states_.front() == state::unsettled;
        if (in_hand && states_.size() <= most_states()) return;
        if (in_hand) aside_.insert(first_);
        states_.pop_front();
        ++first_;
    }
}

}  // namespace waybill::rabbitmq
