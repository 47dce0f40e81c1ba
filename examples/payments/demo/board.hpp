/// Follows every message from its publishing to its end. Belongs to one thread.
#pragma once

#include "demo/events.hpp"
#include "demo/input.hpp"
#include "demo/ledger.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace demo {

enum class ending { none, charged, declined, dead, undecodable };

/// One delivery of a message, as the service answered it.
struct step {
    payments::answer said{};
    waybill::outcome answer;
    std::chrono::nanoseconds at{0};
};

struct row {
    std::size_t line = 0;
    std::optional<std::uint64_t> order;
    std::vector<step> steps;
    ending end = ending::none;
    std::size_t deliveries = 0;
    std::chrono::nanoseconds published{0};
    std::chrono::nanoseconds ended{0};
};

class board {
public:
    explicit board(std::span<const request_line> lines);

    void published(std::size_t index, std::chrono::nanoseconds at);
    void apply(const event& what);
    void apply(const std::vector<event>& all) {
        for (const auto& each : all) apply(each);
    }

    [[nodiscard]] const row& at(std::size_t index) const { return rows_[index]; }
    [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
    /// Published and not ended, in order of the input.
    [[nodiscard]] const std::set<std::size_t>& under_way() const noexcept { return under_way_; }
    /// Those that ended since the last call, in the order they did.
    std::vector<std::size_t> take_ended();
    /// Deliveries of all messages.
    [[nodiscard]] std::size_t deliveries() const noexcept { return deliveries_; }
    /// `in_broker`: messages that have not ended and are still there.
    [[nodiscard]] ledger count(std::size_t in_broker = 0) const;
    /// One for show: the first that spent its attempts, else the first.
    [[nodiscard]] const std::optional<dead_arrived>& dead_letter() const noexcept {
        return dead_letter_;
    }

private:
    void apply_one(const handled& what);
    void apply_one(const paid_arrived& what);
    void apply_one(const dead_arrived& what);
    void end(std::optional<std::size_t> index, ending how, std::chrono::nanoseconds at);
    [[nodiscard]] std::optional<std::size_t> row_of(std::size_t line) const;

    std::vector<row> rows_;
    std::set<std::size_t> under_way_;
    std::vector<std::size_t> just_ended_;
    /// Rows of an order that were charged and whose `paid` has not come yet, oldest first.
    std::unordered_map<std::uint64_t, std::deque<std::size_t>> unpaid_;
    std::map<ending, std::size_t> ends_;
    std::size_t published_ = 0;
    std::size_t surplus_ = 0;
    std::size_t deliveries_ = 0;
    std::optional<dead_arrived> dead_letter_;
    bool dead_letter_is_spent_ = false;
};

}  // namespace demo
