/// The exchanges of a vhost with their bindings: which queues a message comes to.
///
/// Queues are known by name alone: whoever deletes one says so. The server's lock guards it.
#pragma once

#include "transport/rabbitmq/server/message.hpp"
#include "transport/rabbitmq/wire.hpp"

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::rabbitmq::fake {

/// What a message is routed by.
struct routed {
    const std::vector<std::string>& keys;
    const headers& with;
};

class exchanges {
public:
    /// With those that every vhost has.
    explicit exchanges(std::string_view vhost);

    [[nodiscard]] const exchange_spec* find(std::string_view name) const;
    std::expected<void, refusal> declare(const exchange_spec& what, bool passive,
                                         bool knows_unknown_types);
    std::expected<void, refusal> bind(std::string_view to, bool to_queue, std::string_view from,
                                      std::string_view key, const headers& arguments);
    void queue_deleted(std::string_view name);
    /// With its bindings, to and from. False: there is none, or it is one that every vhost has.
    bool erase(std::string_view name);
    /// Those that are not durable go, with all that is bound to them.
    void restarted(const std::function<bool(const std::string& queue)>& is_there);

    /// Each queue once, in the order of the bindings. Nothing where there is no such exchange.
    [[nodiscard]] std::vector<std::string> route(
        std::string_view exchange, const routed& what,
        const std::function<bool(const std::string& queue)>& is_there) const;

private:
    struct binding {
        std::string to;
        bool to_queue;
        std::string key;
        headers arguments;
    };
    struct one {
        exchange_spec spec;
        std::vector<binding> bindings;
        bool was_bound = false;
    };
    struct walk {
        std::vector<std::string> queues;
        std::set<std::string, std::less<>> seen_queues;
        std::set<std::string, std::less<>> seen_exchanges;
        const std::function<bool(const std::string& queue)>& is_there;
    };

    void visit(std::string_view exchange, const routed& what, walk& to) const;
    static bool takes(const one& exchange, const binding& by, const routed& what);
    template <class F>
    void remove_bindings(F&& is_gone);
    void remove(const std::string& name);

    std::string vhost_;
    std::map<std::string, one, std::less<>> all_;
};

}  // namespace waybill::rabbitmq::fake
