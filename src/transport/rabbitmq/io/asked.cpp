#include "transport/rabbitmq/fields.hpp"
#include "transport/rabbitmq/io/connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace waybill::rabbitmq::io {

using std::chrono::steady_clock;

namespace {

/// What a method is filled with, and why it cannot be written.
class filling {
public:
    explicit filling(byte_buffer& to) : to_{to} {}

    template <std::unsigned_integral Number>
    filling& number(Number value) {
        put(to_, value);
        return *this;
    }
    filling& reserved() { return number(std::uint16_t{0}); }
    filling& name(std::string_view text) {
        if (text.size() > 255) {
            why_ = fmt::format("the name \"{}...\" is longer than 255 bytes", text.substr(0, 64));
            text = text.substr(0, 255);
        }
        put_short(to_, text);
        return *this;
    }
    /// Up to eight, the first in the lowest bit.
    filling& bits(std::initializer_list<bool> all) {
        unsigned value = 0;
        unsigned place = 0;
        for (const bool one : all) value |= (one ? 1U : 0U) << place++;
        return number(static_cast<std::uint8_t>(value));
    }
    filling& table(const headers& arguments) {
        if (auto done = write_table(arguments.packed(), to_); !done) why_ = done.error().message();
        return *this;
    }

    [[nodiscard]] const std::string& why_not() const noexcept { return why_; }
    void fault(std::string why) { why_ = std::move(why); }

private:
    byte_buffer& to_;
    std::string why_;
};

}  // namespace

template <class Fill>
wire::answer<octet_reader> connection::ask(channel_id channel, method_id asked, method_id awaited,
                                           Fill fill) {
    if (fallen_) return std::unexpected{*fallen_};
    // It came while something else was waited for: nothing that is asked there is answered.
    if (const auto closed = inbox_.take_held(channel, method_id::channel_close)) {
        return refused(channel, closed->view().arguments());
    }
    filling with{out_};
    {
        frame_writer method{out_, channel, asked};
        fill(with);
        if (method.payload() + frame_overhead > frame_most_)
            with.fault("it is longer than a frame");
        if (!with.why_not().empty()) method.give_up();
    }
    if (!with.why_not().empty()) {
        return refuse_here(channel,
                           fmt::format("{} was not sent: {}", name_of(asked), with.why_not()));
    }
    return await(channel, asked, awaited, patience_);
}

template <class Fill>
wire::answer<void> connection::ask_only(channel_id channel, method_id asked, method_id awaited,
                                        Fill fill) {
    auto answered = ask(channel, asked, awaited, fill);
    if (!answered) return std::unexpected{std::move(answered.error())};
    return {};
}

/// As the server would have: the channel is closed by it.
wire::answer<octet_reader> connection::refuse_here(channel_id channel, std::string why) {
    if (auto closed = close_channel(channel); !closed) return std::unexpected{closed.error()};
    constexpr std::uint16_t precondition_failed = 406;
    return std::unexpected{refusal{precondition_failed, std::move(why)}};
}

wire::answer<octet_reader> connection::refused(channel_id channel, octet_reader closing) {
    refusal why{closing.number<std::uint16_t>(), std::string{closing.short_string()}};
    {
        const frame_writer seen{out_, channel, method_id::channel_close_ok};
    }
    write_some();
    mark(channel, false);
    inbox_.drop_held(channel);
    if (busy_channel() == channel) content_.awaits = content::part::none;
    return std::unexpected{std::move(why)};
}

/// Whether the server blocks must be known at once, as it does not answer then.
void connection::hold(const frame& what) {
    const bool blocks =
        what.is(method_id::connection_blocked) || what.is(method_id::connection_unblocked);
    if (blocks && hears_ != nullptr && !inbox_.holds(what.channel)) return block(*hears_, what);
    if (blocks) is_blocked_ = what.is(method_id::connection_blocked);
    inbox_.hold(what);
}

wire::answer<octet_reader> connection::await(channel_id channel, method_id asked, method_id awaited,
                                             std::chrono::milliseconds patience) {
    auto answered = take_answer(channel, asked, awaited, patience);
    // What ended a wait here may have been meant for another one.
    if (std::exchange(silenced_, false)) alarm_.ring();
    return answered;
}

wire::answer<octet_reader> connection::take_answer(channel_id channel, method_id asked,
                                                   method_id awaited,
                                                   std::chrono::milliseconds patience) {
    auto deadline = steady_clock::now() + patience;
    bool stood_still = false;
    write_some();
    while (true) {
        for (auto front = inbox_.take(); front.is != frame_at_front::state::partial;
             front = inbox_.take()) {
            if (front.is == frame_at_front::state::malformed) {
                malformed("a frame without its end, or longer than was agreed upon");
                break;
            }
            const auto& came = front.what;
            if (came.is(method_id::connection_close)) {
                fall_by_close(came.arguments());
                break;
            }
            if (came.kind == frame_kind::heartbeat) continue;
            if (came.channel != channel) {
                hold(came);
                continue;
            }
            if (came.is(awaited)) return came.arguments();
            if (came.is(method_id::channel_close)) return refused(channel, came.arguments());
            inbox_.hold(came);
        }
        const auto now = steady_clock::now();
        const bool stands_still = is_blocked_ && !hurried_;
        if (std::exchange(stood_still, stands_still)) deadline = now + patience;
        if (!fallen_ && !stands_still && (now >= deadline || is_blocked_)) {
            fall(0, is_blocked_
                        ? fmt::format("{} was not waited for, as the server takes nothing now",
                                      name_of(asked))
                        : fmt::format("The server did not answer {} within {} ms", name_of(asked),
                                      patience.count()));
        }
        beat(now);
        if (fallen_) return std::unexpected{*fallen_};
        silenced_ = silenced_ || stands_still;
        const auto until = stands_still ? std::nullopt : std::optional{deadline};
        if (more_ || poll_until(until, stands_still)) receive();
    }
}

wire::answer<void> connection::open_channel(channel_id channel) {
    auto done = ask_only(channel, method_id::channel_open, method_id::channel_open_ok,
                         [](filling& with) { with.name(""); });
    if (done) mark(channel, true);
    return done;
}

wire::answer<void> connection::close_channel(channel_id channel) {
    auto done = ask_only(
        channel, method_id::channel_close, method_id::channel_close_ok,
        [](filling& with) { with.number(std::uint16_t{200}).name("").reserved().reserved(); });
    mark(channel, false);
    inbox_.drop_held(channel);
    if (busy_channel() == channel) content_.awaits = content::part::none;
    // The server may have closed it at the same moment.
    if (!done && !is_gone(done.error())) return {};
    return done;
}

wire::answer<void> connection::select_confirms(channel_id channel) {
    return ask_only(channel, method_id::confirm_select, method_id::confirm_select_ok,
                    [](filling& with) { with.bits({false}); });
}

wire::answer<void> connection::prefetch(channel_id channel, std::uint16_t count) {
    return ask_only(channel, method_id::basic_qos, method_id::basic_qos_ok, [&](filling& with) {
        with.number(std::uint32_t{0}).number(count).bits({false});
    });
}

wire::answer<queue_state> connection::declare(channel_id channel, const queue_spec& what,
                                              bool passive) {
    auto answered =
        ask(channel, method_id::queue_declare, method_id::queue_declare_ok, [&](filling& with) {
            with.reserved()
                .name(what.name)
                .bits({passive, what.durable, what.exclusive, what.auto_delete, false})
                .table(what.arguments);
        });
    if (!answered) return std::unexpected{std::move(answered.error())};
    static_cast<void>(answered->short_string());
    const auto messages = answered->number<std::uint32_t>();
    return queue_state{messages, answered->number<std::uint32_t>()};
}

wire::answer<void> connection::declare(channel_id channel, const exchange_spec& what,
                                       bool passive) {
    return ask_only(channel, method_id::exchange_declare, method_id::exchange_declare_ok,
                    [&](filling& with) {
                        with.reserved()
                            .name(what.name)
                            .name(what.type)
                            .bits({passive, what.durable, what.auto_delete, what.internal, false})
                            .table(what.arguments);
                    });
}

wire::answer<void> connection::bind(channel_id channel, method_id asked, method_id awaited,
                                    std::string_view to, std::string_view from,
                                    std::string_view key, const headers& arguments) {
    return ask_only(channel, asked, awaited, [&](filling& with) {
        with.reserved().name(to).name(from).name(key).bits({false}).table(arguments);
    });
}

wire::answer<void> connection::bind_queue(channel_id channel, std::string_view queue,
                                          std::string_view exchange, std::string_view key,
                                          const headers& arguments) {
    return bind(channel, method_id::queue_bind, method_id::queue_bind_ok, queue, exchange, key,
                arguments);
}

wire::answer<void> connection::bind_exchange(channel_id channel, std::string_view to,
                                             std::string_view from, std::string_view key,
                                             const headers& arguments) {
    return bind(channel, method_id::exchange_bind, method_id::exchange_bind_ok, to, from, key,
                arguments);
}

wire::answer<std::uint32_t> connection::delete_queue(channel_id channel, std::string_view name,
                                                     bool if_unused, bool if_empty) {
    auto answered =
        ask(channel, method_id::queue_delete, method_id::queue_delete_ok,
            [&](filling& with) { with.reserved().name(name).bits({if_unused, if_empty, false}); });
    if (!answered) return std::unexpected{std::move(answered.error())};
    return answered->number<std::uint32_t>();
}

wire::answer<void> connection::consume(channel_id channel, std::string_view queue,
                                       std::string_view tag, bool exclusive,
                                       const headers& arguments) {
    return ask_only(channel, method_id::basic_consume, method_id::basic_consume_ok,
                    [&](filling& with) {
                        with.reserved()
                            .name(queue)
                            .name(tag)
                            .bits({false, false, exclusive, false})
                            .table(arguments);
                    });
}

wire::answer<void> connection::cancel(channel_id channel, std::string_view tag) {
    return ask_only(channel, method_id::basic_cancel, method_id::basic_cancel_ok,
                    [&](filling& with) { with.name(tag).bits({false}); });
}

void connection::close() noexcept {
    if (fallen_) return;
    try {
        {
            const frame_writer method{out_, 0, method_id::connection_close};
            put(out_, std::uint16_t{200});
            put_short(out_, "");
            put(out_, std::uint32_t{0});
        }
        // The process may be stopping: a server that does not answer is not waited for at length.
        static_cast<void>(await(0, method_id::connection_close, method_id::connection_close_ok,
                                std::min(patience_, std::chrono::milliseconds{3000})));
    } catch (...) {
        // Without memory there is no good-bye; the server sees the socket close.
        if (!fallen_) fallen_.emplace();
    }
    if (!fallen_) fall(0, "The connection was closed");
}

}  // namespace waybill::rabbitmq::io
