/// What goes wrong, and when: "client basic.publish 3 after cut reset".
///
/// A rule as text is `WHO WHAT N [WHERE] ACTION [again]`:
///
///     WHO     client, server (who sent it), any
///     WHAT    frame (any), a method as in basic.publish, header, body, heartbeat, protocol; byte
///     N       the how-manieth, from 1, on all connections together, since the rule was added; of
///             `byte`: after how many bytes of one connection's direction
///     WHERE   before (none of it has passed, unless said otherwise), after, inside K (K bytes
///     have) ACTION  cut reset | cut close       this connection
///             cut all reset | cut all close
///             stall MS [client|server]    what they send waits so long; both, unless said
///             hold [client|server]        the same, until `release`
///             release
///             split bytes | split random | split off     how this connection's bytes are written
///             refuse | allow              new connections
///             kill PID                    kill -9
///
/// With `again` a rule begins to count anew each time, else it acts once.
#pragma once

#include "frame.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

enum class deed : std::uint8_t {
    cut_reset,
    cut_close,
    stall,
    hold,
    release,
    split_bytes,
    split_random,
    split_off,
    refuse,
    allow,
    kill,
    call
};

struct action {
    deed what = deed::cut_reset;
    bool all = false;                  // of a cut: every connection
    std::optional<side> only;          // of stall and hold: what this side sends
    std::chrono::milliseconds time{};  // of stall
    pid_t process = 0;                 // of kill
    std::function<void()> function;  // of call: runs in the proxy's thread, and may call the proxy
};

struct rule {
    std::optional<side> from;       // any, without one
    std::string what;               // as in the text
    std::uint64_t number = 1;       // N
    std::optional<std::size_t> at;  // bytes of the frame that pass first; without one: all
    bool again = false;
    action act;
};

/// Both say in a sentence what is wrong with the text.
std::expected<rule, std::string> read_rule(std::string_view text);
std::expected<action, std::string> read_action(std::string_view text);

/// An action and the place in the piece where it is due.
struct due_action {
    std::size_t at = 0;
    action act;
};

/// The rules that are waiting, each with its own count.
class rule_book {
public:
    void add(rule one) { rules_.push_back({std::move(one), 0}); }
    void clear() noexcept { rules_.clear(); }
    /// What is to be done about this piece, by the place in it, those of one place as they were
    /// added. Counts it.
    std::vector<due_action> meet(side from, const piece& passing);

private:
    struct counted {
        rule one;
        std::uint64_t seen;
    };

    /// Counts the piece; where in it the rule acts, if it does.
    static std::optional<std::size_t> place(counted& each, side from, const piece& passing);

    std::vector<counted> rules_;
};

}  // namespace faults
