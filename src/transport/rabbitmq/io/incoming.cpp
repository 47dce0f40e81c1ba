#include "transport/rabbitmq/fields.hpp"
#include "transport/rabbitmq/io/connection.hpp"

#include <fmt/format.h>

#include <cstring>
#include <new>

namespace waybill::rabbitmq::io {
namespace {

/// The most that a server can be told to take (max_message_size), so none sends a larger one. Room
/// is made for what is announced before it comes.
constexpr std::uint64_t largest_body = std::uint64_t{512} * 1024 * 1024;

}  // namespace

std::optional<channel_id> connection::busy_channel() const noexcept {
    if (content_.awaits == content::part::none) return std::nullopt;
    return content_.channel;
}

bool connection::malformed(const char* what) {
    fall(0, std::string{"The server sent what is not of the protocol: "} + what);
    return false;
}

bool connection::dispatch(wire_events& to) {
    bool some = false;
    while (true) {
        if (auto held = inbox_.take_held(busy_channel())) {
            some = true;
            if (!handle(to, held->view())) return some;
            continue;
        }
        const auto front = inbox_.take();
        if (front.is == frame_at_front::state::partial) return some;
        if (front.is == frame_at_front::state::malformed) {
            malformed("a frame without its end, or longer than was agreed upon");
            return some;
        }
        some = true;
        const auto busy = busy_channel();
        const bool waits = busy && front.what.channel != *busy &&
                           front.what.kind != frame_kind::heartbeat &&
                           !front.what.is(method_id::connection_close);
        if (waits)
            inbox_.hold(front.what);
        else if (!handle(to, front.what))
            return some;
    }
}

bool connection::handle(wire_events& to, const frame& what) {
    switch (what.kind) {
        case frame_kind::method:
            return handle_method(to, what);
        case frame_kind::header:
            return take_header(to, what);
        case frame_kind::body:
            return take_body(to, what);
        default:
            return true;  // heartbeats, and kinds that there are not yet
    }
}

bool connection::handle_method(wire_events& to, const frame& what) {
    if (what.payload.size() < 4) return malformed("a method without its number");
    if (what.is(method_id::connection_close)) {
        fall_by_close(what.arguments());
        return false;
    }
    if (busy_channel()) return malformed("a method inside of a message");
    auto from = what.arguments();
    switch (what.method()) {
        case method_id::basic_deliver:
            return begin_content(what, false);
        case method_id::basic_return:
            return begin_content(what, true);
        case method_id::basic_ack:
        case method_id::basic_nack: {
            const auto tag = from.number<std::uint64_t>();
            const bool multiple = (from.number<std::uint8_t>() & 1U) != 0;
            if (!from.ok()) return malformed("a confirmation that is cut off");
            to.confirmed(what.channel, tag, multiple, what.method() == method_id::basic_ack);
            return true;
        }
        case method_id::basic_cancel: {
            const auto tag = from.short_string();
            const bool silent = (from.number<std::uint8_t>() & 1U) != 0;
            if (!from.ok()) return malformed("a basic.cancel that is cut off");
            if (!silent && is_open(what.channel)) {
                const frame_writer seen{out_, what.channel, method_id::basic_cancel_ok};
                put_short(out_, tag);
            }
            to.cancelled(what.channel, tag);
            return true;
        }
        case method_id::channel_close:
            close_by_server(to, what);
            return true;
        case method_id::channel_flow: {
            const frame_writer seen{out_, what.channel, method_id::channel_flow_ok};
            put(out_, from.number<std::uint8_t>());
            return true;
        }
        case method_id::connection_blocked:
        case method_id::connection_unblocked:
            block(to, what);
            return true;
        default:
            return true;  // an answer that is not waited for any more
    }
}

void connection::close_by_server(wire_events& to, const frame& what) {
    auto from = what.arguments();
    refusal why{from.number<std::uint16_t>(), std::string{from.short_string()}};
    {
        const frame_writer seen{out_, what.channel, method_id::channel_close_ok};
    }
    mark(what.channel, false);
    to.channel_closed(what.channel, why);
}

void connection::block(wire_events& to, const frame& what) {
    is_blocked_ = what.is(method_id::connection_blocked);
    if (!is_blocked_) return to.blocked({});
    const auto reason = what.arguments().short_string();
    to.blocked(reason.empty() ? std::string_view{"the server did not say why"} : reason);
}

bool connection::begin_content(const frame& what, bool is_return) {
    auto from = what.arguments();
    content_.is_return = is_return;
    content_.channel = what.channel;
    if (is_return) {
        content_.code = from.number<std::uint16_t>();
        content_.first = from.short_string();
    } else {
        content_.first = from.short_string();
        content_.tag = from.number<std::uint64_t>();
        content_.redelivered = (from.number<std::uint8_t>() & 1U) != 0;
    }
    content_.exchange = from.short_string();
    content_.key = from.short_string();
    if (!from.ok()) return malformed("a delivery that is cut off");
    content_.awaits = content::part::header;
    return true;
}

bool connection::take_header(wire_events& to, const frame& what) {
    // Behind the class and the weight, the size of the body and the flags.
    constexpr std::size_t size_at = 4;
    constexpr std::size_t flags_at = 12;
    if (content_.awaits != content::part::header || what.payload.size() < flags_at) {
        return malformed("a content header where none belongs");
    }
    const auto size = from_network<std::uint64_t>(what.payload.data() + size_at);
    packed_.clear();
    if (size > largest_body) {
        fall(0, fmt::format("The server announced a message of {} bytes, and no server takes one "
                            "of more than {}",
                            size, largest_body));
        return false;
    }
    if (!read_properties(what.payload.subspan(flags_at), packed_)) {
        return malformed("properties that cannot be read");
    }
    content_.left = size;
    content_.into = nullptr;
    content_.awaits = size == 0 ? content::part::none : content::part::body;
    if (content_.is_return) {
        to.returned({content_.channel, content_.code, content_.first, content_.exchange,
                     content_.key, packed_.bytes()});
        return true;
    }
    if (!make_room(to)) return false;
    if (size == 0) to.arrived();
    return true;
}

/// Without memory the message stays with the server, and the connection falls; a quorum queue
/// counts each such fall as a return of the message. Nothing of it is told any more, though it may
/// have come whole.
bool connection::make_room(wire_events& to) {
    try {
        content_.into =
            to.begins({content_.channel, content_.first, content_.tag, content_.redelivered,
                       content_.exchange, content_.key, packed_.bytes(), content_.left});
        return true;
    } catch (const std::bad_alloc&) {
        content_.awaits = content::part::none;
        fall(0, fmt::format("There is no memory for a message of {} bytes", content_.left));
        return false;
    }
}

bool connection::take_body(wire_events& to, const frame& what) {
    const auto size = what.payload.size();
    if (content_.awaits != content::part::body || size > content_.left) {
        return malformed("a part of a body where none belongs");
    }
    if (content_.into != nullptr) {
        std::memcpy(content_.into, what.payload.data(), size);
        content_.into += size;
    }
    content_.left -= size;
    if (content_.left != 0) return true;
    content_.awaits = content::part::none;
    if (!content_.is_return) to.arrived();
    return true;
}

}  // namespace waybill::rabbitmq::io
