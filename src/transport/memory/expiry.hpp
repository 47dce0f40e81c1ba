/// Which ready message leaves first: a heap of those whose time is limited.
///
/// Guarantee: adding and taking out cost the logarithm of how many there are; a message that has no
/// limit is no part of it. Guarded by the store's lock.
#pragma once

#include "transport/memory/entry.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace waybill::memory {

class expiry {
public:
    void add(entry& one);
    void remove(entry& one) noexcept;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_due() const noexcept;
    /// The one whose time has come; null when there is none.
    [[nodiscard]] entry* due(std::chrono::nanoseconds now) const noexcept;

private:
    struct item {
        std::chrono::nanoseconds due;
        entry* one;
    };

    void put(std::size_t place, item one) noexcept;
    void rise(std::size_t place, item one) noexcept;
    void sink(std::size_t place, item one) noexcept;

    std::vector<item> heap_;
};

}  // namespace waybill::memory
