/// The books of one run: every message that was published, in every queue that it reached.
///
/// Guarantee: knows messages by the identity that the runner gave them and nothing of what the
/// product wrote on them. A message that came into a queue must leave it by an end, move on, or be
/// found there when all is over; else it is lost, or somebody invented it.
#pragma once

#include "scenario/scenario.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace waybill::scenario {

/// Where copies are that wait in the memory of the service's process: a queue of the books.
inline constexpr std::string_view in_the_process = "the process's memory";

class ledger {
public:
    struct imbalance {
        bool is_lost = false;  ///< else invented
        std::string message;   ///< which, for people
    };

    /// A new message.
    std::uint64_t publish(std::string_view address, std::span<const std::byte> payload);
    /// A copy of it came into a queue, or left it for good. @{
    void came(std::string_view queue, std::uint64_t id) { post(queue, id, 1); }
    void went(std::string_view queue, std::uint64_t id) { post(queue, id, -1); }
    /// @}
    /// Copies of it that are there, by the books.
    [[nodiscard]] std::int32_t copies(std::string_view queue, std::uint64_t id) const;
    /// By the books nothing is there.
    [[nodiscard]] bool is_empty(std::string_view queue) const;
    /// A kill took what was there, and the service had said so.
    void write_off(std::string_view queue);
    void write_off_all() { accounts_.clear(); }

    /// When all is over: what each queue still holds is posted as gone before.
    [[nodiscard]] std::vector<imbalance> balance() const;
    /// For people: "message 3 (\"v2\", sent to updates/install)".
    [[nodiscard]] std::string describe(std::uint64_t id) const;

private:
    struct account {
        std::uint32_t queue;
        std::int32_t copies;
    };
    struct origin {
        std::string address;
        std::string payload;  ///< its beginning
    };

    void post(std::string_view queue, std::uint64_t id, std::int32_t copies);
    std::uint32_t number_of(std::string_view queue);

    std::vector<std::string> queues_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    std::vector<origin> origins_;  ///< by identity, the first is 1
    /// Only what is not balanced.
    std::unordered_map<std::uint64_t, std::vector<account>> accounts_;
};

}  // namespace waybill::scenario
