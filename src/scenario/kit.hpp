/// What a transport brings so that scenarios can be played on it: how its part of a file is read,
/// and the server in memory that stands in for the real one.
///
/// A new transport is one file beside this one that makes a `kit`, and a line in kits.cpp.
#pragma once

#include "scenario/fields.hpp"
#include "scenario/scenario.hpp"
#include "scenario/world.hpp"
#include <waybill/clock.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace waybill::scenario {

class kit {
public:
    virtual ~kit() = default;

    [[nodiscard]] virtual std::string_view transport() const noexcept = 0;
    /// From the object under "broker"; with everything absent, the defaults. Never null.
    [[nodiscard]] virtual std::shared_ptr<const broker_options> read_broker(fields& from) const = 0;
    /// Whether such a server delays by itself, so that no store of the service waits in its place.
    [[nodiscard]] virtual bool delays_by_itself(const broker_options& how) const noexcept = 0;
    /// From the object under "source".
    [[nodiscard]] virtual source read_source(fields& from) const = 0;
    /// From the object under a step's "properties".
    virtual void read_properties(fields& from, step::publish& into) const = 0;
    /// A server of its own for one run; `time` is the run's paused clock.
    [[nodiscard]] virtual std::unique_ptr<world> open(const broker_options& how,
                                                      std::shared_ptr<manual_clock> time) const = 0;
};

/// The kit of that transport, or null.
[[nodiscard]] const kit* kit_for(std::string_view transport) noexcept;
/// Those that there are, in order: "memory".
[[nodiscard]] std::span<const std::string_view> transports() noexcept;

}  // namespace waybill::scenario
