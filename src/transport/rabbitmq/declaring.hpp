/// Declaring what a service needs: exchanges, queues, bindings. The channel is opened anew where
/// the server closed it for a refusal.
///
/// Belongs to the thread of the connection that it is given. An error of the code errc::connection
/// says that the connection fell; any other is a refusal of what it names, for which the server may
/// have ended the connection.
#pragma once

#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/error.hpp>

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace waybill::rabbitmq {

/// A queue or an exchange that is to be there, or one of its bindings.
struct declaration {
    const void* of = nullptr;  ///< which of them: where it is not made, its bindings wait for it
    bool makes = true;         ///< it itself, not a binding
    std::string name;          ///< "queue orders, binding to exchange events by order.#"
    std::function<std::expected<void, error>(wire&, channel_id)> act;
};

/// An exclusive queue belongs to the connection that made it, and only that one can read it.
enum class declared_by : std::uint8_t {
    publishing,  ///< all but the exclusive queues
    reading,     ///< the exclusive queues
};

/// All that is declared by that connection, in an order in which it can be: exchanges first. Views
/// `what`.
[[nodiscard]] std::vector<declaration> declarations_of(const broker::data& what, declared_by whom);

/// What a server ended a connection for: it would end the next one too, and all that is done there.
/// It is left alone for a while, longer each time.
class harmful {
public:
    void add(const declaration& what, std::string words, std::chrono::nanoseconds now);
    void is_there(const declaration& what);
    /// What was said of it; null when it may be tried.
    [[nodiscard]] const std::string* spared(const declaration& what,
                                            std::chrono::nanoseconds now) const;
    /// When the first that is spared now may be tried; the end of time when none is.
    [[nodiscard]] std::chrono::nanoseconds again_after(std::chrono::nanoseconds now) const;

private:
    /// Each has a time of its own: what is tried first, and ends the connection again, would keep
    /// the others from being tried.
    struct ending {
        std::string words;
        std::chrono::nanoseconds again{0};
        unsigned tries = 0;
    };
    std::map<std::string, ending, std::less<>> all_;  ///< by name
};

/// How long what ended a connection is left alone after so many times: longer than a connection
/// must stand for the next one to begin at once.
[[nodiscard]] std::chrono::nanoseconds pause_after_end(unsigned tries) noexcept;

struct not_declared {
    std::string words;   ///< what was refused, for a person; empty when nothing is left
    bool tries = false;  ///< something was refused now, not only left alone
};

/// Up to the first error.
std::expected<void, error> declare_all(wire& on, channel_id channel,
                                       const std::vector<declaration>& all);
/// Past each refusal and what is harmful: what was done leaves the list. An error: the connection
/// is gone, and the list is as it was; what it ended for is harmful from now on.
std::expected<not_declared, error> declare_most(wire& on, channel_id channel,
                                                std::vector<declaration>& all, harmful& known,
                                                std::chrono::nanoseconds now);
/// One queue with its bindings, as its `presence` says.
std::expected<void, error> declare_queue(wire& on, channel_id channel, const queue::data& what);

}  // namespace waybill::rabbitmq
