/// An app's connection and its consumers, as the store knows them.
#pragma once

#include "transport/memory/backlog.hpp"
#include <waybill/clock.hpp>
#include <waybill/detail/transport.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

namespace waybill::memory {

/// Who publishes and reads. `host` and `time` are constant, the rest is guarded by the store's
/// lock.
struct client {
    detail::transport_host* host = nullptr;  ///< null: the server's own, from outside of any app
    std::shared_ptr<clock> time;
    std::size_t reading = 0;  ///< consumers that are not cancelled
    bool leaves = false;      ///< all of them are, or the connection is closed
    /// Publishes that have ended and whose tickets do not know yet: what a ticket belongs to stays
    /// until there are none.
    std::atomic<std::uint32_t> being_told{0};
};

class reader {
public:
    reader(backlog& from, detail::consumer_listener& listener, client& by) noexcept
        : from_{&from}, listener_{&listener}, by_{&by} {}

    [[nodiscard]] detail::consumer_listener& listener() const noexcept { return *listener_; }

private:
    friend class store;

    backlog* from_;
    detail::consumer_listener* listener_;
    client* by_;
    std::list<reader*>::iterator place_;
    std::atomic<std::uint64_t> generation_{1};
    bool cancelled_ = false;
    ring hand_;  ///< in the order it was taken
    std::size_t in_hand_ = 0;
};

}  // namespace waybill::memory
