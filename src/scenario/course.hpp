/// What becomes of one message, delivery after delivery, without running anything: the functions
/// that decide in the runtime are asked in turn.
///
/// Guarantee: pure, and ends after `most_followed` deliveries. Only what is declared goes in: no
/// fault of a server, no stop, no time to live.
#pragma once

#include "message/failure_record.hpp"
#include "scenario/scenario.hpp"
#include "settle/plan.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace waybill::scenario {

inline constexpr std::uint64_t most_followed = 1'000'000;
/// Of a wait: for ever, or for 292 years and more.
inline constexpr nanoseconds unbounded = nanoseconds::max();

/// How one delivery is answered, whoever answers.
struct handled {
    enum class way : std::uint8_t {
        answers,      ///< `answer` is settled by the plan
        dead_letter,  ///< a policy says so, for `reason`
        dies,         ///< the process does, and comes back
    };
    way how = way::answers;
    outcome answer{};
    dead_reason reason = dead_reason::outcome;
    nanoseconds takes{0};
};

/// As a handler's list is handled under this declaration: what it throws goes by the policy.
[[nodiscard]] std::vector<handled> handled_as(const answers& list, const declaration& declared);
/// The same by a handler that is never done: a retry in the place of each answer that would end the
/// message or the process.
[[nodiscard]] std::vector<handled> never_done(const answers& list, const declaration& declared);
/// A delivery that goes by a policy.
[[nodiscard]] handled by_policy(const failure_policy& policy, dead_reason reason);

/// Where a message ends.
enum class ending : std::uint8_t {
    acked,
    dropped,      ///< by an answer, or for `reason`
    rejected,     ///< to the broker's own policy
    dead_letter,  ///< for `reason`
    moved,        ///< its copies go to an address that this subscription does not read
    lost,         ///< with the process that kept it
    never,        ///< it goes on for ever
    not_followed  ///< it goes on beyond `most_followed` deliveries
};

struct course {
    std::uint64_t deliveries = 0;  ///< to the handler
    nanoseconds waiting{0};        ///< between deliveries, in all; `unbounded` where it is
    nanoseconds handling{0};       ///< in the handler, in all
    ending end = ending::acked;
    std::optional<dead_reason> reason;  ///< why there; nothing where the answer itself says so

    friend bool operator==(const course&, const course&) = default;
};

/// `list` answers the first, second, ... delivery; the last one repeats. `reads_copies`: whether
/// copies that go to a fixed address come back.
[[nodiscard]] course follow(const settle::rules& rule, std::span<const handled> list,
                            bool reads_copies);

}  // namespace waybill::scenario
