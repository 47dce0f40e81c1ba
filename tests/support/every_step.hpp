/// Runs small services and makes each step of each message fail in turn.
///
/// A story is what a handler answers; it is told on a path (a server of some transport), with one
/// lane and with several, with confirmations that come at once and later. The first run counts the
/// steps; then the story is told anew for each step and each thing that can go wrong there
/// (faulty_broker.hpp). After a stop or a kill a new process reads what is left. In every run
///
/// - each message ends where it should: acked, dropped or in the dead letter. It ends twice only
///   where the server had its copy and gave out the original again, and is lost only where it
///   waited in the memory of a process that was killed;
/// - a handler sees attempt 1 + what was charged: the retries that took effect, and the times that
///   the connection fell with the message in hand, where the server counts those. It never sees
///   more than the cap. A stop, a failed publish and a lost confirmation charge nothing;
/// - no handler runs again for a publish that failed, none before its delay has passed, and each
///   lane sees new messages in the order of their publishing;
/// - every delivery is settled exactly once, and only after what it waits for was confirmed;
/// - a copy and a dead letter carry the count, the reason, `waybill-id` and `waybill-copy` that
///   they should; a repeated publish is the same message again, header for header;
/// - health is degraded as long as a publish is repeated, and running otherwise.
///
/// Nothing here knows a transport. One is tried by saying how to start a server of it.
#pragma once

#include <waybill/detail/transport.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace support {

/// A server of its own for one run, on the clock of the app that connects.
struct tried_server {
    std::shared_ptr<const waybill::detail::broker_config> broker;
    /// Every connection falls and comes back at once: what was in hand comes again, and counts
    /// where a lost connection counts.
    std::function<void()> drop_connections;
    /// Whether a process whose connections fell may come back. Null: one that is dead does not by
    /// itself.
    std::function<void(bool lets_in)> admit{};
    /// What it can do for the queue "orders", where it tells more than the configuration.
    std::optional<waybill::detail::capabilities> can{};
    /// It hands deliveries over ahead of what is taken, and counts these as well when a connection
    /// falls.
    bool has_window = false;
    /// The addresses of a story are there whoever reads them.
    bool has_addresses = false;
};

struct tried_path {
    std::string name;  ///< as it stands in the names of runs
    std::function<tried_server()> start;
    /// A competing source; what is published under its name is read from it.
    std::function<waybill::source(std::string)> queue;
    /// Where dead letters go: to the queue "orders.dead" in the end.
    std::string dead_letter = "orders.dead";
    /// What a handler asks for that wants its message later.
    std::chrono::nanoseconds delay = std::chrono::seconds{7};
};

struct every_step_report {
    std::size_t runs = 0;
    std::string problems;  ///< empty when all is well; each names its run
};

/// Tells every story on one path, or those of these names. With `only`, those runs whose name
/// begins with it, and the report says of the failed ones what happened step by step. A run's name
/// is "story/path/lanes/confirmations/step/fault", as in "retry/copies/3/later/17/lost".
every_step_report every_step(const tried_path& path, std::string_view only = {},
                             std::span<const std::string_view> of = {});

/// What the environment variable WAYBILL_EVERY_STEP asks to run alone.
std::string_view only_this_step();

}  // namespace support
