/// Storage for queued messages: a header of 40 bytes, the packed headers and the payload in one
/// piece, taken from free lists by size.
///
/// Guarantee: 64 readable bytes follow every payload; once warm, nothing is allocated. Memory is
/// kept for reuse and given back with the slab. Not thread-safe.
#pragma once

#include "transport/memory/entry.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace waybill::memory {

class slab {
public:
    slab() = default;
    ~slab();
    slab(const slab&) = delete;
    slab& operator=(const slab&) = delete;

    /// Room for that many bytes behind the header; only `size_class` is set.
    entry* take(std::size_t bytes) {
        const auto index = class_of(sizeof(entry) + bytes);
        auto* free = index < free_.size() ? free_[index] : nullptr;
        if (free == nullptr) [[unlikely]]
            return refill(index, bytes);
        free_[index] = static_cast<entry*>(free->next);
        return free;
    }

    void give(entry* used) noexcept {
        if (used->size_class >= class_count) [[unlikely]]
            return free_large(used);
        used->next = free_[used->size_class];
        free_[used->size_class] = used;
    }

private:
    static constexpr std::size_t fine = 64;    ///< classes of 32 bytes, up to 2 KiB
    static constexpr std::size_t coarse = 20;  ///< four to a doubling, up to 64 KiB
    static constexpr std::size_t class_count = fine + coarse;

    static std::size_t class_of(std::size_t size) noexcept {
        if (size <= fine * 32) [[likely]]
            return (size + 31) / 32 - 1;
        return coarse_class_of(size);
    }
    static std::size_t coarse_class_of(std::size_t size) noexcept;
    static std::size_t size_of(std::size_t index) noexcept;
    entry* refill(std::size_t index, std::size_t bytes);
    static void free_large(entry* used) noexcept;

    std::array<entry*, class_count> free_{};
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
};

}  // namespace waybill::memory
