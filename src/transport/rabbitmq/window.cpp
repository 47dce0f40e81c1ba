#include "transport/rabbitmq/window.hpp"

#include <algorithm>

namespace waybill::rabbitmq {

using detail::publish_status;

namespace {

/// Copies and dead letters carry a mark that tells each from all others.
std::string_view mark_of(std::span<const std::byte> packed_headers) noexcept {
    const auto found = headers::borrow(packed_headers).find(known_header::copy);
    return found ? found->text().value_or("") : "";
}

}  // namespace

publish* window::next() {
    if (waiting_.empty() || in_flight_ >= most_) return nullptr;
    auto* first = waiting_.front();
    const bool alone = first->is_suspect ||
                       (in_flight_ != 0 && sent_.back() != nullptr && sent_.back()->is_suspect);
    if (alone && in_flight_ != 0) return nullptr;
    waiting_.pop_front();
    sent_.push_back(first);
    ++in_flight_;
    return first;
}

void window::take_back_last() {
    sent_.pop_back();
    --in_flight_;
}

void window::end(publish*& at, bool taken, std::vector<publish_end>& ended) {
    if (at == nullptr) return;
    const auto how = at->is_returned ? publish_status::unroutable
                     : taken         ? publish_status::confirmed
                                     : publish_status::failed;
    ended.push_back({at, how});
    at = nullptr;
    --in_flight_;
}

void window::forget_front() {
    while (!sent_.empty() && sent_.front() == nullptr) {
        sent_.pop_front();
        ++first_tag_;
    }
}

void window::confirmed(std::uint64_t tag, bool multiple, bool taken,
                       std::vector<publish_end>& ended) {
    if (tag < first_tag_ || tag - first_tag_ >= sent_.size()) return;
    const auto last = tag - first_tag_;
    for (auto at = multiple ? 0 : last; at <= last; ++at) end(sent_[at], taken, ended);
    forget_front();
}

void window::returned(const returned_message& what) {
    const auto mark = mark_of(what.packed_headers);
    for (auto* each : sent_) {
        if (each == nullptr) continue;
        const auto sent = each->view();
        const bool same_target = sent.exchange == what.exchange && sent.key == what.key;
        if (same_target && mark_of(sent.packed_headers) == mark) each->is_returned = true;
    }
}

/// What was sent goes to the front of what waits, in its order.
void window::recall(bool are_suspects) {
    for (auto at = sent_.rbegin(); at != sent_.rend(); ++at) {
        if (*at == nullptr) continue;
        (*at)->is_returned = false;
        (*at)->is_suspect = are_suspects || (*at)->is_suspect;
        waiting_.push_front(*at);
    }
    sent_.clear();
    first_tag_ = 1;
    in_flight_ = 0;
}

void window::channel_closed(publish_status how, std::vector<publish_end>& ended) {
    if (in_flight_ == 1) {
        const auto only = std::ranges::find_if(sent_, [](auto* each) { return each != nullptr; });
        ended.push_back({*only, how});
        *only = nullptr;
        --in_flight_;
    }
    recall(true);
}

void window::connection_lost() { recall(false); }

void window::end_all(publish_status how, std::vector<publish_end>& ended) {
    recall(false);
    for (auto* each : waiting_) ended.push_back({each, how});
    waiting_.clear();
}

bool window::withdraw(const publish& what) {
    if (const auto at = std::ranges::find(waiting_, &what); at != waiting_.end()) {
        waiting_.erase(at);
        return true;
    }
    const auto at = std::ranges::find(sent_, &what);
    if (at == sent_.end()) return false;
    *at = nullptr;
    --in_flight_;
    forget_front();
    return true;
}

}  // namespace waybill::rabbitmq
