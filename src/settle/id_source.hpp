/// Identities for the roots of copies (`waybill-id`): unique across processes in production,
/// numbered from the start in tests. Thread-safe.
#pragma once

#include <atomic>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

namespace waybill::settle {

class id_source {
public:
    /// `prefix` tells processes apart.
    explicit id_source(std::string prefix) : prefix_{std::move(prefix) + '-'} {}

    /// Into a string of the caller's, which keeps its capacity.
    void next(std::string& into) {
        const auto number = next_.fetch_add(1, std::memory_order_relaxed);
        constexpr std::size_t digits = 20;
        into.resize_and_overwrite(prefix_.size() + digits, [&](char* at, std::size_t) {
            prefix_.copy(at, prefix_.size());
            auto* const from = at + prefix_.size();
            return std::to_chars(from, from + digits, number).ptr - at;
        });
    }

private:
    std::string prefix_;
    std::atomic<std::uint64_t> next_{1};
};

}  // namespace waybill::settle
