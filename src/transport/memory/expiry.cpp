#include "transport/memory/expiry.hpp"

namespace waybill::memory {

void expiry::put(std::size_t place, item one) noexcept {
    heap_[place] = one;
    one.one->life().place = place;
}

void expiry::rise(std::size_t place, item one) noexcept {
    while (place != 0) {
        const auto parent = (place - 1) / 2;
        if (heap_[parent].due <= one.due) break;
        put(place, heap_[parent]);
        place = parent;
    }
    put(place, one);
}

void expiry::sink(std::size_t place, item one) noexcept {
    while (true) {
        auto child = 2 * place + 1;
        if (child >= heap_.size()) break;
        if (child + 1 < heap_.size() && heap_[child + 1].due < heap_[child].due) ++child;
        if (one.due <= heap_[child].due) break;
        put(place, heap_[child]);
        place = child;
    }
    put(place, one);
}

void expiry::add(entry& one) {
    const item added{one.life().due, &one};
    heap_.push_back(added);
    rise(heap_.size() - 1, added);
}

void expiry::remove(entry& one) noexcept {
    const auto place = one.life().place;
    const auto last = heap_.back();
    heap_.pop_back();
    if (place == heap_.size()) return;
    sink(place, last);
    rise(last.one->life().place, last);
}

std::optional<std::chrono::nanoseconds> expiry::next_due() const noexcept {
    if (heap_.empty() || heap_.front().due == lifetime::never) return std::nullopt;
    return heap_.front().due;
}

entry* expiry::due(std::chrono::nanoseconds now) const noexcept {
    return heap_.empty() || heap_.front().due > now ? nullptr : heap_.front().one;
}

}  // namespace waybill::memory
