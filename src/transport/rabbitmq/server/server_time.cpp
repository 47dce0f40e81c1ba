// The server's own time: that of the apps' clock, from when it was first told of one.
#include "transport/rabbitmq/server/server.hpp"

namespace waybill::rabbitmq::fake {

nanoseconds server::now() const {
    return time_ != nullptr ? time_->now() - since_ : nanoseconds{0} - since_;
}

void server::adopt(const std::shared_ptr<clock>& time) {
    const turn held{*this};
    if (time == nullptr || time == time_ || (time_ != nullptr && !connections_.empty())) return;
    const auto own = now();
    time_ = time;
    since_ = time->now() - own;
}

bool server::runs_by_itself() const {
    return time_ != nullptr && time_->real_time_of(time_->now()).has_value();
}

void server::catch_up() {
    if (runs_by_itself()) tick_locked(now(), static_cast<std::size_t>(-1));
}

vhost* server::earliest() const {
    vhost* first = nullptr;
    std::optional<nanoseconds> due;
    for (const auto& [name, each] : vhosts_) {
        const auto its = each->next_due();
        if (!its || (due && *due <= *its)) continue;
        due = its;
        first = each.get();
    }
    return first;
}

std::optional<nanoseconds> server::next_due() {
    const turn held{*this};
    const auto* first = earliest();
    if (first == nullptr) return std::nullopt;
    return *first->next_due() + since_;
}

std::optional<std::chrono::steady_clock::time_point> server::due_in_real_time() const {
    const auto* first = earliest();
    if (first == nullptr || time_ == nullptr) return std::nullopt;
    return time_->real_time_of(*first->next_due() + since_);
}

std::size_t server::tick(nanoseconds now, std::size_t limit) {
    const turn held{*this};
    return tick_locked(now - since_, limit);
}

std::size_t server::tick_locked(nanoseconds now, std::size_t limit) {
    std::size_t done = 0;
    for (; done < limit; ++done) {
        auto* first = earliest();
        if (first == nullptr || !first->tick(now)) break;
    }
    return done;
}

}  // namespace waybill::rabbitmq::fake
