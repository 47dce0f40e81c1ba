#include "transport/memory/slab.hpp"

#include <algorithm>
#include <new>

namespace waybill::memory {
namespace {

constexpr std::size_t chunk_size = 64UZ * 1024;
constexpr std::size_t readable_behind = 64;

}  // namespace

slab::~slab() = default;

std::size_t slab::coarse_class_of(std::size_t size) noexcept {
    auto index = fine;
    while (index < class_count && size_of(index) < size) ++index;
    return index;
}

std::size_t slab::size_of(std::size_t index) noexcept {
    if (index < fine) return (index + 1) * 32;
    const auto step = index - fine;
    const auto doubling = fine * 32 << (step / 4);
    return doubling + doubling / 4 * (step % 4 + 1);
}

entry* slab::refill(std::size_t index, std::size_t bytes) {
    if (index >= class_count) {
        auto* large = static_cast<entry*>(::operator new(sizeof(entry) + bytes + readable_behind));
        large->size_class = class_count;
        return large;
    }
    const auto size = size_of(index);
    const auto room = std::max(chunk_size, size * 4 + readable_behind);
    chunks_.push_back(std::make_unique<std::byte[]>(room));
    auto* at = chunks_.back().get();
    for (auto left = (room - readable_behind) / size; left != 0; --left, at += size) {
        auto* made = reinterpret_cast<entry*>(at);
        made->size_class = static_cast<std::uint8_t>(index);
        give(made);
    }
    auto* first = free_[index];
    free_[index] = static_cast<entry*>(first->next);
    return first;
}

void slab::free_large(entry* used) noexcept { ::operator delete(used); }

}  // namespace waybill::memory
