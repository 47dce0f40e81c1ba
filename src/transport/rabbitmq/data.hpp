/// What the builders of `rabbitmq.hpp` fill, as plain data.
#pragma once

#include "transport/rabbitmq/settings.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/rabbitmq.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace waybill::rabbitmq {

/// A binding of what it stands in to an exchange.
struct binding {
    std::string from;
    std::string key;
    headers arguments;
};

/// Whether the service makes it when it is not there.
enum class presence : std::uint8_t { declared, passive, elsewhere };

struct queue::data : detail::source_details {
    queue_spec spec;
    queue_type kind = queue_type::classic;
    presence there = presence::declared;
    std::vector<binding> bindings;
    std::uint16_t prefetch = 0;  ///< 0: by the number of lanes
    bool exclusive_consumer = false;
    bool single_active = false;
    bool keeps_deaths = false;
    std::optional<std::uint32_t> delivery_limit;
    bool has_dead_letter = false;  ///< of the server's own
    std::vector<std::string> mistakes;
    std::string legacy_retry;  ///< addresses of what others have; empty: nothing such
    std::string legacy_failed;

    void declare(declaration& of) const override;
};

struct exchange::data {
    exchange_spec spec;
    presence there = presence::declared;
    std::vector<binding> bindings;
    std::vector<std::string> mistakes;
};

struct broker::data {
    std::optional<connection_settings> connection;  ///< nothing: the URL is wrong
    std::vector<error> mistakes;
    std::vector<queue> queues;
    std::vector<exchange> exchanges;
    std::string name;  ///< of the connections; empty: the app's
    std::size_t window = 1000;
    waits delays = waits::in_queues;

    /// The declared queue of that name, or null.
    [[nodiscard]] const queue::data* queue_named(std::string_view name) const noexcept;
};

/// What a builder holds becomes a copy that it alone holds, to be changed: what others hold stays
/// as it was.
template <class Data>
Data& own_copy(std::shared_ptr<const Data>& held) {
    auto changed = std::make_shared<Data>(*held);
    auto& place = *changed;
    held = std::move(changed);
    return place;
}

/// As `x-queue-type` has it.
[[nodiscard]] constexpr std::string_view name_of(queue_type kind) noexcept {
    switch (kind) {
        case queue_type::classic:
            return "classic";
        case queue_type::quorum:
            return "quorum";
        case queue_type::stream:
            return "stream";
    }
    return "classic";
}

/// What was said of the queue that this source reads.
[[nodiscard]] const queue::data& said_of(const source& from);

}  // namespace waybill::rabbitmq
