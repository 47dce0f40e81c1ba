/// A payment provider that answers from a script: for tests, and for a service on a desk.
#pragma once

#include "gateway.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace payments {

/// The answers to the first, second, ... question; the last repeats. An empty one always says ok.
class script {
public:
    script() = default;
    explicit script(std::vector<answer> answers) : answers_{std::move(answers)} {}

    answer next() {
        if (answers_.empty()) return answer::ok;
        return answers_[at_ + 1 < answers_.size() ? at_++ : at_];
    }

private:
    std::vector<answer> answers_;
    std::size_t at_ = 0;
};

/// Has a script for an order; any other order is charged at once.
class scripted_gateway final : public gateway {
public:
    scripted_gateway() = default;
    explicit scripted_gateway(const std::map<std::uint64_t, std::vector<answer>>& by_order) {
        for (const auto& [order, answers] : by_order) scripts_.emplace(order, script{answers});
    }

    answer charge(const payment_request& request) override {
        const std::lock_guard lock{mutex_};
        const auto found = scripts_.find(request.order);
        return found == scripts_.end() ? answer::ok : found->second.next();
    }

private:
    std::mutex mutex_;
    std::map<std::uint64_t, script> scripts_;
};

}  // namespace payments
