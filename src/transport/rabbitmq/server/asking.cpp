// What a client asks and the server answers.
#include "transport/rabbitmq/server/connection.hpp"
#include "transport/rabbitmq/server/refusals.hpp"

#include <utility>

namespace waybill::rabbitmq::fake {
namespace {

std::string line(std::string_view method, std::string_view what = {}) {
    std::string text = "client ";
    text.append(method);
    if (!what.empty()) text.append(" ").append(what);
    return text;
}

}  // namespace

template <class F>
auto connection::ask(channel_id id, std::string what, F&& act)
    -> decltype(act(std::declval<channel&>())) {
    const turn now{*server_};
    if (fallen_) return std::unexpected(*fallen_);
    note(std::move(what));
    auto* on = find(id);
    if (on == nullptr) {
        for_method(id);
        return std::unexpected(*fallen_);
    }
    if (!on->is_open) return std::unexpected(taken_closure(id));
    auto result = act(*on);
    if (result) return result;
    if (ends_connection(result.error().code)) {
        fall_alone(result.error());
    } else {
        end(id);
    }
    return result;
}

wire::answer<void> connection::open_channel(channel_id id) {
    const turn now{*server_};
    if (fallen_) return std::unexpected(*fallen_);
    note(line("channel.open", std::to_string(id)));
    if (auto* there = find(id); there != nullptr && there->is_open) {
        fall_alone({504, "CHANNEL_ERROR - second 'channel.open' seen"});
        return std::unexpected(*fallen_);
    }
    if (id == 0 || (facts_.channel_max != 0 && id > facts_.channel_max)) {
        fall_alone({530, "NOT_ALLOWED - channel " + std::to_string(id) +
                             " is above the negotiated channel_max (" +
                             std::to_string(facts_.channel_max) + ")"});
        return std::unexpected(*fallen_);
    }
    forget_news_of(id);
    auto made = std::make_unique<channel>();
    made->of = this;
    made->id = id;
    in_.opened(*made);
    channels_[id] = std::move(made);
    return {};
}

wire::answer<void> connection::close_channel(channel_id id) {
    const turn now{*server_};
    if (fallen_) return std::unexpected(*fallen_);
    note(line("channel.close", std::to_string(id)));
    if (find(id) != nullptr) end(id);
    return {};
}

wire::answer<void> connection::select_confirms(channel_id id) {
    return ask(id, line("confirm.select"), [](channel& on) -> answer<void> {
        on.confirms = true;
        return {};
    });
}

wire::answer<void> connection::prefetch(channel_id id, std::uint16_t count) {
    return ask(id, line("basic.qos", std::to_string(count)), [&](channel& on) -> answer<void> {
        on.prefetch = count;
        return {};
    });
}

wire::answer<queue_state> connection::declare(channel_id id, const queue_spec& what, bool passive) {
    return ask(id, line("queue.declare", what.name + (passive ? " passive" : "")),
               [&](channel&) -> answer<queue_state> {
                   if (server_->fails_declaration(what.name)) {
                       return std::unexpected(refusal{541, "INTERNAL_ERROR"});
                   }
                   return in_.declare(what, passive, this);
               });
}

wire::answer<void> connection::declare(channel_id id, const exchange_spec& what, bool passive) {
    return ask(id, line("exchange.declare", what.name + (passive ? " passive" : "")),
               [&](channel&) { return in_.declare(what, passive); });
}

wire::answer<void> connection::bind_queue(channel_id id, std::string_view queue,
                                          std::string_view exchange, std::string_view key,
                                          const headers& arguments) {
    return ask(id, line("queue.bind", queue),
               [&](channel&) { return in_.bind_queue(queue, exchange, key, arguments, this); });
}

wire::answer<void> connection::bind_exchange(channel_id id, std::string_view to,
                                             std::string_view from, std::string_view key,
                                             const headers& arguments) {
    return ask(id, line("exchange.bind", to),
               [&](channel&) { return in_.bind_exchange(to, from, key, arguments); });
}

wire::answer<std::uint32_t> connection::delete_queue(channel_id id, std::string_view name,
                                                     bool if_unused, bool if_empty) {
    return ask(id, line("queue.delete", name),
               [&](channel&) { return in_.delete_queue(name, if_unused, if_empty, this); });
}

wire::answer<void> connection::consume(channel_id id, std::string_view queue, std::string_view tag,
                                       bool exclusive, const headers& arguments) {
    return ask(id, line("basic.consume", queue), [&](channel& on) -> answer<void> {
        const auto added = in_.consume(on, queue, tag, exclusive, arguments);
        if (!added) return std::unexpected(added.error());
        in_.serve(*(*added)->from);
        return {};
    });
}

wire::answer<void> connection::cancel(channel_id id, std::string_view tag) {
    return ask(id, line("basic.cancel", tag), [&](channel& on) -> answer<void> {
        const auto found = on.consumers.find(tag);
        if (found != on.consumers.end()) in_.cancel(*found->second);
        return {};
    });
}

}  // namespace waybill::rabbitmq::fake
