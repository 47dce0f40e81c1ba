#include <waybill/backoff.hpp>
#include <waybill/outcome.hpp>

#include <algorithm>

namespace waybill {

using std::chrono::nanoseconds;

backoff backoff::fixed(nanoseconds delay) { return list({delay}); }

backoff backoff::exponential(nanoseconds first, nanoseconds longest) {
    auto made = list({first});
    made.longest_ = longest;
    made.doubles_ = true;
    return made;
}

backoff backoff::list(std::vector<nanoseconds> delays) {
    backoff made;
    made.delays_ = std::move(delays);
    if (made.delays_.empty()) made.delays_.push_back(nanoseconds{0});
    return made;
}

nanoseconds backoff::declared_after(std::uint32_t attempt) const noexcept {
    if (!doubles_) {
        const auto at = std::min<std::size_t>(attempt == 0 ? 0 : attempt - 1, delays_.size() - 1);
        return delays_[at];
    }
    auto delay = delays_.front();
    for (std::uint32_t step = 1; step < attempt && delay < longest_; ++step) {
        delay = delay > longest_ / 2 ? longest_ : delay * 2;
    }
    return std::min(delay, longest_);
}

std::string backoff::problem() const {
    if (std::any_of(delays_.begin(), delays_.end(), [](auto d) { return d <= d.zero(); })) {
        return "a back-off needs delays above zero";
    }
    if (doubles_ && longest_ < delays_.front()) {
        return "an exponential back-off starts at " + to_text(delays_.front()) +
               ", which is above its longest delay " + to_text(longest_);
    }
    return {};
}

std::string backoff::describe() const {
    if (delays_.empty()) return "none";
    if (doubles_) return to_text(delays_.front()) + " doubling to " + to_text(longest_);
    std::string text;
    for (const auto delay : delays_) {
        if (!text.empty()) text += ", ";
        text += to_text(delay);
    }
    return text;
}

}  // namespace waybill
