/// A store for trying the service out: it counts in memory.
#pragma once

#include "click.hpp"

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace clicks {

class counting_store final : public click_store {
public:
    void add(const click& seen) override {
        if (seen.page.empty()) throw std::runtime_error{"a click without a page"};
        ++count_;
    }
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

private:
    std::atomic<std::uint64_t> count_{0};
};

}  // namespace clicks
