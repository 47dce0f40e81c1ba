/// What a transport brings so that scenarios can be played on it: how its part of a file is read,
/// and the server in memory that stands in for the real one.
///
/// A new transport is one file beside this one that makes a `kit`, and a line in kits.cpp.
#pragma once

#include "scenario/dice.hpp"
#include "scenario/fields.hpp"
#include "scenario/scenario.hpp"
#include "scenario/world.hpp"
#include <waybill/clock.hpp>

#include <memory>
#include <optional>
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
    [[nodiscard]] virtual source read_source(fields& from, const broker_options& how) const = 0;
    /// From the object under a step's "properties".
    virtual void read_properties(fields& from, step::publish& into) const = 0;
    /// Where messages go: a text, or what else the transport writes for an address.
    [[nodiscard]] virtual std::optional<std::string> read_address(const entry& from) const {
        return from.text();
    }
    /// A header whose value is an object or a list; false where the transport has no types for it.
    virtual bool append_nested(headers& /*into*/, const std::string& /*name*/,
                               const entry& /*from*/) const {
        return false;
    }
    /// What reads back as the same; what is as by default is left out. @{
    [[nodiscard]] virtual json::object write_broker(const broker_options& how) const = 0;
    [[nodiscard]] virtual json::object write_source(const source& from) const = 0;
    [[nodiscard]] virtual json::object write_properties(const step::publish& from) const = 0;
    /// @}
    /// How a header's value stands in files and traces.
    [[nodiscard]] virtual json::value write_value(const header_value& from) const;
    /// The transport's own properties of a message, as a trace shows them.
    [[nodiscard]] json::object properties_of(const headers& all) const;
    /// The headers, without the properties.
    [[nodiscard]] json::array headers_of(const headers& all) const;
    /// By chance: a server, and a source that reads what is sent to this address (and perhaps to
    /// others that begin as it does). @{
    [[nodiscard]] virtual std::shared_ptr<const broker_options> make_up_broker(dice& by) const = 0;
    [[nodiscard]] virtual source make_up_source(dice& by, std::string_view address) const = 0;
    /// @}
    /// A server of its own for one run, with what the file names on it; `told` outlives it, and
    /// `time` is the run's paused clock.
    [[nodiscard]] virtual std::unique_ptr<world> open(const scenario& told,
                                                      std::shared_ptr<manual_clock> time) const = 0;
};

/// The kit of that transport, or null.
[[nodiscard]] const kit* kit_for(std::string_view transport) noexcept;
/// Those that there are, in order, for people: "memory".
[[nodiscard]] std::string transports_in_words();

}  // namespace waybill::scenario
