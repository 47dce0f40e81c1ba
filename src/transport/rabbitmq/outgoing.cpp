#include "transport/rabbitmq/outgoing.hpp"

#include "message/decimal.hpp"
#include "message/header_writer.hpp"
#include "transport/rabbitmq/fields.hpp"
#include "transport/rabbitmq/values.hpp"
#include <waybill/headers.hpp>

#include <cstring>

namespace waybill::rabbitmq {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t longest_short_string = 255;
/// What a content header and its frame take beside the properties and headers.
constexpr std::size_t frame_overhead = 20;
constexpr std::int64_t longest_time_to_live = 0xffff'ffffLL;

/// "persistent", as a packed entry.
std::byte* write_persistent(std::byte* to) noexcept {
    constexpr unsigned long long persistent = 2;
    const detail::packed_header prefix{
        static_cast<std::uint8_t>(known_header::property),
        detail::packed_type(header_kind::unsigned_integer,
                            static_cast<std::uint8_t>(wire_type::u8)),
        static_cast<std::uint16_t>(property::delivery_mode.size()), sizeof persistent};
    std::memcpy(to, &prefix, sizeof prefix);
    to += sizeof prefix;
    std::memcpy(to, property::delivery_mode.data(), property::delivery_mode.size());
    to += property::delivery_mode.size();
    std::memcpy(to, &persistent, sizeof persistent);
    return to + sizeof persistent;
}

constexpr std::size_t room_for_persistent =
    sizeof(detail::packed_header) + property::delivery_mode.size() + sizeof(std::uint64_t);

std::byte* write_expiration(std::byte* to, std::int64_t count) noexcept {
    auto* const begin = to;
    to = write_header(to, property::expiration, decimal{count}.text());
    begin[offsetof(detail::packed_header, known)] = static_cast<std::byte>(known_header::property);
    return to;
}

/// A copy of another user's message: the server would refuse what says that it is theirs.
bool is_anothers(std::string_view user, std::span<const std::byte> all, const std::byte* entry) {
    const auto named = detail::read_header(entry).value.text();
    return named && *named != user && headers::borrow(all).find(known_header::copy).has_value();
}

/// The headers as they are but for a due time, which is this publish's own.
std::byte* write_headers(std::byte* to, const outgoing_view& message, const sender& by,
                         bool& has_mode) {
    const auto all = message.packed_headers;
    for (std::size_t at = 0; at < all.size();) {
        const auto entry = detail::read_prefix(all.data() + at);
        const auto size = detail::packed_size(entry);
        const auto known = static_cast<known_header>(entry.known);
        bool stays = known != known_header::due;
        if (known == known_header::property) {
            const auto name = detail::name_in(all.data() + at);
            has_mode = has_mode || name == property::delivery_mode;
            if (name == property::user_id) stays = !is_anothers(by.user, all, all.data() + at);
        }
        if (stays) {
            std::memcpy(to, all.data() + at, size);
            to += size;
        }
        at += size;
    }
    return to;
}

/// Small headers take less on the wire than packed: those that look too large are written to see.
/// What cannot be written at all is left to the connection, which says why.
bool fits_frame(std::span<const std::byte> packed, std::size_t frame_max) {
    if (frame_max == 0 || packed.size() + frame_overhead <= frame_max) return true;
    byte_buffer on_wire;
    return !write_properties(packed, on_wire) || on_wire.size() + frame_overhead <= frame_max;
}

}  // namespace

std::expected<void, error> fill_message(publish& to, sent_to where, const outgoing_view& message,
                                        std::chrono::nanoseconds due, const sender& by) {
    if (where.exchange.size() > longest_short_string || where.key.size() > longest_short_string) {
        return std::unexpected(error{errc::refused, "",
                                     "the queue, the exchange or the key is longer than 255 bytes",
                                     "give it a shorter name"});
    }
    const auto extra = room_for_persistent + 2 * room_for_header(longest_decimal + 32);
    auto& bytes = to.bytes;
    bytes.clear();
    bytes.append(where.exchange);
    bytes.append(where.key);
    to.exchange_size = static_cast<std::uint32_t>(where.exchange.size());
    to.key_size = static_cast<std::uint32_t>(where.key.size());
    const auto before = bytes.size();
    auto* at = bytes.room(message.packed_headers.size() + extra + message.payload.size());
    bool has_mode = false;
    at = write_headers(at, message, by, has_mode);
    if (!has_mode) at = write_persistent(at);
    if (due != due.zero()) {
        const auto at_ms = std::chrono::ceil<milliseconds>(due).count();
        at = write_header(at, known_header::due, decimal{at_ms}.text());
    }
    if (message.time_to_live > message.time_to_live.zero()) {
        const auto span = std::chrono::ceil<milliseconds>(message.time_to_live).count();
        // What is longer than the server can hold does not expire in it.
        if (span <= longest_time_to_live) at = write_expiration(at, span);
    }
    bytes.finish_at(at);
    to.headers_size = bytes.size() - before;
    if (!fits_frame(bytes.bytes().subspan(before), by.frame_max)) {
        return std::unexpected(error{
            errc::refused, "",
            "the headers take more than a frame of " + std::to_string(by.frame_max) + " bytes",
            "put less into them, or raise frame_max here and on the server"});
    }
    bytes.append(message.payload.data(), message.payload.size());
    return {};
}

}  // namespace waybill::rabbitmq
