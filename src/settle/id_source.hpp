/// Identities for the roots of copies (`waybill-id`): unique across processes in production,
/// numbered from the start in tests. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

namespace waybill::settle {

class id_source {
public:
    /// `prefix` tells processes apart.
    explicit id_source(std::string prefix) : prefix_{std::move(prefix)} {}

    [[nodiscard]] std::string next() {
        const auto number = next_.fetch_add(1, std::memory_order_relaxed);
        std::array<char, 20> room{};
        const auto* end = std::to_chars(room.data(), room.data() + room.size(), number).ptr;
        return prefix_ + '-' + std::string(static_cast<const char*>(room.data()), end);
    }

private:
    std::string prefix_;
    std::atomic<std::uint64_t> next_{1};
};

}  // namespace waybill::settle
