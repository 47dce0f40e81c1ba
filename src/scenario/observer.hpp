/// Stands between the service and its server, and is told of everything that passes: in the
/// service's process the witness itself, live a relay that tells the witness in the runner's.
#pragma once

#include "scenario/trace.hpp"
#include "settle/probe.hpp"
#include <waybill/detail/transport.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

class observer : public settle::probe {
public:
    // ---- what becomes of the process. @{
    /// What it does from now on has no effect.
    [[nodiscard]] virtual bool is_dead() const noexcept { return false; }
    /// It is being killed: what it still says is not heard.
    [[nodiscard]] virtual bool is_dying() const noexcept { return false; }
    /// Are its connections its own, which fall and are opened again?
    [[nodiscard]] virtual bool is_remote() const noexcept { return true; }
    /// Where they are not: can the server be reached?
    [[nodiscard]] virtual bool is_reachable() const noexcept { return true; }
    /// @}

    // ---- what a handler does. @{
    /// Which delivery of its message this is for the subscription, beginning with 0. Of a delivery
    /// in hand; once for each.
    virtual std::size_t next_run(const delivery& message) = 0;
    /// What the handler stages with this delivery next.
    virtual void will_publish(const delivery& message, published_why why) = 0;
    /// @}

    // ---- what passes through a watched_broker. @{
    virtual void reads(std::size_t subscription, const source& from, std::string_view reader) = 0;
    /// The server had it from another run: it is done with, and nobody is told of it.
    virtual bool passes_over(const detail::received& /*message*/) { return false; }
    /// `room` keeps its headers for as long as it is in hand.
    virtual void took(std::size_t subscription, detail::received& message,
                      std::vector<std::byte>& room) = 0;
    virtual void passed(const detail::settle_op& operation, bool is_stale) = 0;
    virtual void closes() = 0;
    /// What is to be published, with its identity on it, and what it means.
    struct sent {
        std::uint64_t id = 0;
        published_why why = published_why::handler;
        bool fails = false;  ///< a step says that the server does not take it
        std::vector<std::byte> tagged{};
        std::vector<std::string> reaches{};
        void* token = nullptr;     ///< of the delivery that it is for; null: none, or none any more
        std::uint64_t kept = 0;    ///< of the copy in the process that it is; 0: none
        std::string from{};        ///< the queue of the delivery that it is a copy of
        std::string via{};         ///< the queue in which it waits; empty: none
        std::uint64_t handle = 0;  ///< live: by which the runner knows it
    };
    virtual sent sending_now(const outgoing_view& message, std::string via) = 0;
    virtual void sending_ended(const sent& one, const outgoing_view& message,
                               detail::publish_status status) = 0;
    /// @}

protected:
    ~observer() = default;
};

}  // namespace waybill::scenario
