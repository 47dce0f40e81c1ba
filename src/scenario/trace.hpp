/// What happened in a run, an object for each event, in the order of happening, and the counts that
/// its last line gives.
#pragma once

#include "scenario/scenario.hpp"
#include <waybill/clock.hpp>
#include <waybill/delivery.hpp>
#include <waybill/detail/transport.hpp>
#include <waybill/error.hpp>
#include <waybill/outcome.hpp>
#include <waybill/outgoing.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace waybill::wiring {
struct facts;
}

namespace waybill::scenario {

class kit;

/// So often, by name.
using counts = std::map<std::string, std::uint64_t>;

/// What `ended` says.
struct summary {
    counts deliveries;
    counts published;
    std::map<std::string, counts> settled;
    counts queued;
    counts unsettled;
    std::uint64_t waiting = 0;
};

/// Why something was published.
enum class published_why : std::uint8_t {
    step,
    reply,
    retry,
    dead_letter,
    handler,
    hop,  ///< the next stretch of one wait
};

class trace {
public:
    using sink = std::function<void(const json::value& line)>;

    /// `by` shows what the messages of a transport carry.
    trace(std::shared_ptr<const clock> time, const kit& by, sink to)
        : time_{std::move(time)}, by_{&by}, to_{std::move(to)} {}

    void started(std::string_view subscription, const wiring::facts& said);
    void refused(const error& problem);
    void delivered(std::string_view subscription, const delivery& message);
    void exceeded(std::string_view subscription, const delivery& message);
    /// `outcome` is one of the four, or dead_letter where the policy says so.
    void answered(std::string_view subscription, std::uint32_t attempt, std::string_view outcome,
                  nanoseconds delay, std::string_view error);
    /// `via` is where it waits until then; empty: it does not.
    void published(const outgoing_view& message, published_why why, bool confirmed,
                   std::string_view via = {});
    void settled(std::string_view subscription, std::uint32_t attempt, detail::settle_kind kind);
    void refused_outcome(std::string_view problem);
    void warning(std::string_view problem);
    void stopped(std::uint64_t pending_delays, std::uint64_t lost);
    void ended(const summary& all);
    /// A line that was made elsewhere, from now on at this run's time.
    void pass_on(json::value line);

    /// Deliveries so far, of all subscriptions.
    [[nodiscard]] std::uint64_t deliveries() const noexcept { return deliveries_; }
    /// The counts so far; the rest of a summary is not this class's to know.
    [[nodiscard]] const summary& counted() const noexcept { return counted_; }

private:
    json::object begin(std::string_view event) const;
    void end(json::object line) const;
    json::object of_delivery(std::string_view event, std::string_view subscription,
                             const delivery& message) const;

    std::shared_ptr<const clock> time_;
    const kit* by_;
    sink to_;
    summary counted_;
    std::uint64_t deliveries_ = 0;
};

[[nodiscard]] const char* name_of(published_why why) noexcept;

/// Virtual time in milliseconds: an integer where it is one.
[[nodiscard]] json::value in_ms(nanoseconds time);

}  // namespace waybill::scenario
