#include "transport/rabbitmq/streams.hpp"

#include "transport/rabbitmq/mismatch.hpp"
#include "transport/rabbitmq/profile.hpp"
#include "transport/rabbitmq/topology.hpp"

#include <charconv>

namespace waybill::rabbitmq {
namespace {

/// Before, there are none.
constexpr version_number streams_from{3, 9};
/// The most that a server says why: a short string.
constexpr std::size_t longest_words = 255;

/// A declaration that no server can fulfil, so that nothing is made where the queue has gone
/// meanwhile: the age that a stream keeps, as no age. Of a queue that exists the server compares
/// only what its type knows, so it answers "ok" where the rest is right, or says what differs.
queue_spec impossible(const queue::data& what) {
    queue_spec asks;
    asks.name = what.spec.name;
    asks.arguments = what.spec.arguments;
    asks.arguments.set("x-queue-type", name_of(what.kind));
    asks.arguments.set("x-max-age", "none");
    return asks;
}

/// The one argument of a stream that is compared before the type.
bool take_over_size(queue_spec& into, const mismatch& from) {
    const auto text = read_value(from.current).quoted();
    if (from.argument != "x-max-length-bytes" || !text) return false;
    std::int64_t size = 0;
    const auto read = std::from_chars(text->data(), text->data() + text->size(), size);
    if (read.ec != std::errc{}) return false;
    into.arguments.set("x-max-length-bytes", size);
    return true;
}

/// Nothing: the server said nothing of a type.
std::optional<bool> says_stream(const mismatch& what) {
    if (what.argument != "x-queue-type") return std::nullopt;
    return read_value(what.current).quoted() == "stream";
}

bool is_about_type(std::string_view text) noexcept {
    return text.find("inequivalent arg 'x-queue-type'") != std::string_view::npos;
}

/// Of a queue with a long name the server's words are cut off before the value, so it is asked
/// whether a stream would do.
wire::answer<bool> is_nothing_but_stream(wire& on, channel_id channel, queue_spec asks) {
    asks.arguments.set("x-queue-type", name_of(queue_type::stream));
    const auto done = on.declare(channel, asks, false);
    if (done) return true;
    if (is_gone(done.error())) return std::unexpected(done.error());
    if (auto opened = on.open_channel(channel); !opened) return std::unexpected(opened.error());
    return !is_about_type(done.error().text);
}

wire::answer<bool> is_stream(wire& on, channel_id channel, const queue::data& what) {
    auto asks = impossible(what);
    for (int tries = 0; tries < 2; ++tries) {
        const auto done = on.declare(channel, asks, false);
        if (done) return false;
        if (is_gone(done.error())) return std::unexpected(done.error());
        if (auto opened = on.open_channel(channel); !opened) {
            return std::unexpected(opened.error());
        }
        const std::string_view text = done.error().text;
        if (text.size() >= longest_words && is_about_type(text)) {
            return is_nothing_but_stream(on, channel, asks);
        }
        const auto differs = read_mismatch(text);
        if (!differs) return false;
        if (const auto said = says_stream(*differs)) return *said;
        if (!take_over_size(asks, *differs)) return false;
    }
    return false;
}

}  // namespace

std::expected<void, error> refuse_stream(wire& on, channel_id channel, const queue::data& what) {
    const auto version = read_version(on.server().version);
    if (!version || *version < streams_from) return {};
    const auto where = "queue " + what.spec.name;
    const auto refused = [&](const refusal& why) {
        return std::unexpected(explain_refusal(why, where));
    };
    if (const auto there = on.declare(channel, what.spec, true); !there) {
        if (!is_gone(there.error())) (void)on.open_channel(channel);
        return refused(there.error());
    }
    const auto found = is_stream(on, channel, what);
    if (!found) return refused(found.error());
    if (!*found) return {};
    return std::unexpected(
        error{errc::refused, where, std::string{why_no_stream}, std::string{instead_of_stream}});
}

}  // namespace waybill::rabbitmq
