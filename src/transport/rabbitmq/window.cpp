#include "transport/rabbitmq/window.hpp"

#include "transport/rabbitmq/likeness.hpp"

#include <algorithm>
#include <utility>

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
    auto* next = waiting_.front();
    // A suspect was sent alone, so it is the last one.
    const bool alone = next->is_suspect || (in_flight_ != 0 && sent_.back().of != nullptr &&
                                            sent_.back().of->is_suspect);
    if (alone && in_flight_ != 0) return nullptr;
    sent_.push_back({next_tag_, next});
    waiting_.pop_front();
    ++next_tag_;
    ++in_flight_;
    return next;
}

void window::take_back_last() {
    sent_.pop_back();
    --next_tag_;
    --in_flight_;
    forget_ended();
}

/// Null: it is not known any more, or not yet. While there are no gaps it is found at once.
inline window::sent* window::find(std::uint64_t tag) noexcept {
    const auto count = sent_.size() - first_;
    if (count == 0) return nullptr;
    auto* const begin = sent_.data() + first_;
    const auto at = tag - begin->tag;  // of an earlier tag: larger than any place
    if (at < count && begin[at].tag == tag) [[likely]]
        return begin + at;
    return search({begin, count}, tag);
}

window::sent* window::search(std::span<sent> among, std::uint64_t tag) noexcept {
    const auto found = std::ranges::lower_bound(among, tag, {}, &sent::tag);
    return found != among.end() && found->tag == tag ? &*found : nullptr;
}

inline void window::end(sent& at, bool taken, std::vector<publish_end>& ended) {
    if (at.of == nullptr) return;
    const auto how = at.of->is_returned ? publish_status::unroutable
                     : taken            ? publish_status::confirmed
                                        : publish_status::failed;
    ended.push_back({at.of, how});
    at.of = nullptr;
    --in_flight_;
}

/// Takes time in proportion to those that have ended since.
inline void window::forget_ended() noexcept {
    while (first_ < sent_.size() && sent_[first_].of == nullptr) ++first_;
    if (first_ == sent_.size()) {
        sent_.clear();
        first_ = 0;
    } else if (sent_.size() - in_flight_ >= most_) {
        close_gaps();
    }
}

void window::close_gaps() noexcept {
    std::erase_if(sent_, [](const sent& each) { return each.of == nullptr; });
    first_ = 0;
}

void window::confirmed(std::uint64_t tag, bool multiple, bool taken,
                       std::vector<publish_end>& ended) {
    if (tag >= next_tag_) return;
    if (multiple) {
        for (auto at = first_; at < sent_.size() && sent_[at].tag <= tag; ++at) {
            end(sent_[at], taken, ended);
        }
    } else if (auto* const at = find(tag)) {
        end(*at, taken, ended);
    }
    forget_ended();
}

template <class Meant>
bool window::mark_returned(Meant is_meant) {
    bool any = false;
    for (const auto& [tag, each] : sent_) {
        if (each == nullptr || !is_meant(*each)) continue;
        each->is_returned = true;
        any = true;
    }
    return any;
}

void window::returned(const returned_message& what) {
    const auto mark = mark_of(what.packed_headers);
    const auto could_be = [&](const publish& each) {
        const auto said = each.view();
        return said.exchange == what.exchange && said.key == what.key &&
               mark_of(said.packed_headers) == mark;
    };
    const auto likeness = mark.empty() ? likeness_of(what.packed_headers) : 0;
    const auto is_like = [&](publish& each) {
        if (!could_be(each)) return false;
        if (each.likeness == 0) each.likeness = likeness_of(each.view().packed_headers);
        return each.likeness == likeness;
    };
    // Whatever a server has made of it, the one that came back is among those that could be.
    if (mark.empty() && mark_returned(is_like)) return;
    mark_returned(could_be);
}

/// What was sent goes to the front of what waits, in its order.
void window::recall(bool are_suspects) {
    for (auto at = sent_.rbegin(); at != sent_.rend(); ++at) {
        auto* const each = at->of;
        if (each == nullptr) continue;
        each->is_returned = false;
        each->is_suspect = are_suspects || each->is_suspect;
        waiting_.push_front(each);
    }
    sent_.clear();
    first_ = 0;
    next_tag_ = 1;
    in_flight_ = 0;
}

/// The one that is in flight.
void window::end_only(publish_status how, std::vector<publish_end>& ended) {
    auto& only = sent_[first_];
    ended.push_back({only.of, how});
    only.of = nullptr;
    --in_flight_;
}

void window::channel_closed(publish_status how, std::vector<publish_end>& ended) {
    if (in_flight_ == 1) end_only(how, ended);
    recall(true);
}

void window::connection_lost() { recall(false); }

/// Of several, nobody knows which it was. Of one, the server may still have had a reason of its
/// own, so that it counts once it happens again.
void window::connection_ended(std::vector<publish_end>& ended) {
    const bool is_alone = in_flight_ == 1;
    if (is_alone && std::exchange(sent_[first_].of->has_ended, true)) {
        end_only(publish_status::refused, ended);
    }
    recall(true);
}

void window::connection_ended_for_another() { recall(true); }

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
    const auto at = std::ranges::find(sent_, &what, &sent::of);
    if (at == sent_.end()) return false;
    at->of = nullptr;
    --in_flight_;
    forget_ended();
    return true;
}

}  // namespace waybill::rabbitmq
