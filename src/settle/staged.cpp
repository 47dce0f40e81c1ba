#include "settle/moves.hpp"

#include <utility>

namespace waybill::settle {

void executor::publish_then_ack(const case_file& about, detail::staging& staged) {
    // Published from where it was staged: where the broker confirms at once, nothing is kept.
    if (spare_staged_.empty()) spare_staged_.push_back(std::make_unique<staged_move>(*this));
    auto& ticket = *spare_staged_.back();
    const auto count = staged.size();
    ticket.worst.store(publish_status::confirmed, std::memory_order_relaxed);
    ticket.outstanding.store(count + 1, std::memory_order_relaxed);
    std::size_t done = 1;
    for (std::size_t at = 0; at < count; ++at) {
        const outgoing_view message{staged.address(at), staged.payload(at), {}};
        // The connection may fall between two of them: what is stale publishes nothing.
        const bool stale = is_stale(about);
        if (shared_.observer != nullptr && !stale) {
            shared_.observer->sending(publish_reason::staged, about.view());
        }
        const auto status =
            stale ? publish_status::lost : shared_.transport->publish(message, &ticket);
        if (status == publish_status::pending) continue;
        ticket.note(status);
        ++done;
    }
    const bool all_confirmed = done == count + 1 && ticket.worst == publish_status::confirmed;
    if (all_confirmed && shared_.observer == nullptr) [[likely]] {
        staged.clear();
        return accept(about.from);
    }
    // The ticket's last count is ours, so that its mail cannot come before it knows the delivery.
    ticket.about = about;
    std::swap(ticket.messages, staged);
    staged_.push_back(std::move(spare_staged_.back()));
    spare_staged_.pop_back();
    if (ticket.outstanding.fetch_sub(done, std::memory_order_acq_rel) == done) {
        staged_concluded(ticket);
    }
}

void executor::staged_concluded(staged_move& moving) {
    const auto worst = moving.worst.load();
    if (worst == publish_status::lost) {
        settle_unless_stale(moving.about, settle_kind::release);
    } else if (worst != publish_status::confirmed) {
        const auto first = std::string{moving.messages.address(0)};
        fail(moving.about, dead_reason::exception,
             "a message that the handler published (the first was for " + first + ") " +
                 in_words(worst));
    } else {
        for (std::size_t at = 0; shared_.observer != nullptr && at < moving.messages.size(); ++at) {
            shared_.observer->published(
                publish_reason::staged,
                {moving.messages.address(at), moving.messages.payload(at), {}}, worst);
        }
        finish(moving.about, ack());
    }
    moving.messages.clear();
    spare_staged_.push_back(take_out(staged_, moving));
}

}  // namespace waybill::settle
