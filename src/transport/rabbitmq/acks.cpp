#include "transport/rabbitmq/acks.hpp"

namespace waybill::rabbitmq {

void acks::delivered(std::uint64_t tag) {
    if (states_.empty()) first_ = tag;
    states_.push_back(state::unsettled);
    ++unsettled_;
}

bool acks::is_unsettled(std::uint64_t tag) const noexcept {
    return tag >= first_ && tag - first_ < states_.size() &&
           states_[tag - first_] == state::unsettled;
}

void acks::ack(std::uint64_t tag) {
    if (!is_unsettled(tag)) return;
    state_of(tag) = state::acked;
    scattered_.push_back(tag);
    --unsettled_;
}

void acks::settled_otherwise(std::uint64_t tag) noexcept {
    if (!is_unsettled(tag)) return;
    state_of(tag) = state::settled;
    --unsettled_;
}

/// What is settled from the front is forgotten, and acked by one frame.
std::optional<acks::frame> acks::take_run() {
    std::optional<frame> run;
    while (!states_.empty() && states_.front() != state::unsettled) {
        if (states_.front() == state::acked) run = frame{first_, run.has_value()};
        states_.pop_front();
        ++first_;
    }
    return run;
}

}  // namespace waybill::rabbitmq
