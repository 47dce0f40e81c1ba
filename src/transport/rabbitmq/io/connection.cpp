#include "transport/rabbitmq/io/connection.hpp"

#include "transport/rabbitmq/fields.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace waybill::rabbitmq::io {

using std::chrono::steady_clock;

namespace {

/// What is written without being asked to, so that a batch does not grow without bound.
constexpr std::size_t write_from = std::size_t{256} * 1024;
/// What was sent and is not taken out of the buffer yet may be so much.
constexpr std::size_t most_sent = std::size_t{256} * 1024;
/// What the buffer keeps of its memory when everything was sent.
constexpr std::size_t most_kept = std::size_t{1024} * 1024;

}  // namespace

connection::connection(opened link, std::chrono::milliseconds patience)
    : stream_{std::move(link.stream)},
      server_{std::move(link.server)},
      heartbeat_{link.heartbeat},
      patience_{patience},
      frame_most_{server_.frame_max},
      inbox_{frame_most_},
      last_sent_{steady_clock::now()},
      last_heard_{last_sent_} {
    auto early = link.early.bytes();
    while (true) {
        const auto front = look_at_front(early, frame_most_ + added_by_servers);
        if (front.is != frame_at_front::state::whole) break;
        hold(front.what);
        early = early.subspan(front.size);
    }
}

void connection::mark(channel_id channel, bool open) {
    if (channel >= open_.size()) open_.resize(std::size_t{channel} + 1);
    open_[channel] = open;
}

// ---- falling

void connection::fall(std::uint16_t code, std::string text) {
    if (!fallen_) fallen_ = refusal{code, std::move(text)};
}

void connection::fall_by_close(octet_reader closing) {
    const auto code = closing.number<std::uint16_t>();
    const auto text = closing.short_string();
    // Its own words count, even when the socket was found closed before they were read.
    fallen_ = refusal{code, std::string{text}};
    {
        const frame_writer done{out_, 0, method_id::connection_close_ok};
    }
    write_some();
}

/// A server that closes says why before it hangs up; the write fails before that is read.
void connection::salvage(const std::string& why) {
    while (!fallen_) {
        receive();
        bool came = false;
        for (auto front = inbox_.take(); front.is == frame_at_front::state::whole;
             front = inbox_.take()) {
            came = true;
            if (front.what.is(method_id::connection_close)) {
                return fall_by_close(front.what.arguments());
            }
            inbox_.hold(front.what);
        }
        if (!came) break;
    }
    fall(0, "The connection fell: " + why);
}

// ---- the socket

void connection::write_some() {
    while (written_ < out_.size()) {
        const auto done = stream_.send(out_.bytes().subspan(written_));
        if (done.how == byte_stream::result::some) {
            written_ += done.moved;
            last_sent_ = steady_clock::now();
            continue;
        }
        if (done.how == byte_stream::result::none) return drop_sent();
        drop_all();
        if (!fallen_)
            salvage(done.how == byte_stream::result::closed ? "the server hung up" : stream_.why());
        return;
    }
    drop_all();
}

/// A socket that takes much and never all must not make the buffer grow. Moves no more bytes than
/// were sent since the last time.
void connection::drop_sent() {
    const auto left = out_.size() - written_;
    if (written_ < most_sent || written_ < left) return;
    std::memcpy(out_.data(), out_.data() + written_, left);
    out_.resize(left);
    written_ = 0;
}

void connection::drop_all() noexcept {
    if (out_.capacity() > most_kept)
        out_ = {};
    else
        out_.clear();
    written_ = 0;
}

void connection::receive() {
    while (true) {
        const auto room = inbox_.room();
        const auto got = stream_.receive(room);
        switch (got.how) {
            case byte_stream::result::some:
                inbox_.filled(got.moved);
                last_heard_ = steady_clock::now();
                more_ = stream_.holds_bytes() || got.moved == room.size();
                // Records of TLS are small; what OpenSSL holds already costs no system call.
                if (!stream_.holds_bytes() || inbox_.room().size() < frame_most_) return;
                break;
            case byte_stream::result::none:
                more_ = false;
                return;
            case byte_stream::result::closed:
                more_ = false;
                return fall(0, "The server hung up");
            case byte_stream::result::broken:
                more_ = false;
                return fall(0, "The connection fell: " + stream_.why());
        }
    }
}

bool connection::poll_until(std::optional<time_point> until, bool alarm_too) {
    const auto next = next_beat();
    if (next && (!until || *next < *until)) until = next;
    timespec span{};
    if (until) {
        const auto left = std::max(*until - steady_clock::now(), steady_clock::duration::zero());
        const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
        span = {static_cast<time_t>(seconds.count()),
                static_cast<long>(std::chrono::nanoseconds{left - seconds}.count())};
    }
    const bool writes = written_ < out_.size();
    pollfd wanted[2] = {
        {stream_.descriptor(), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0},
        {alarm_.descriptor(), POLLIN, 0}};
    const int ready = ppoll(wanted, alarm_too ? 2 : 1, until ? &span : nullptr, nullptr);
    if (ready <= 0) return false;
    if (wanted[1].revents != 0) alarm_.silence();
    if ((wanted[0].revents & POLLOUT) != 0) write_some();
    return (wanted[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
}

// ---- heartbeats: ours when nothing else was sent for half of the interval; none of the server's,
// nor anything else, for two intervals ends the connection.

std::optional<connection::time_point> connection::next_beat() const noexcept {
    if (heartbeat_.count() == 0) return std::nullopt;
    const auto silent = last_heard_ + 2 * heartbeat_;
    if (written_ < out_.size()) return silent;
    return std::min(last_sent_ + std::chrono::milliseconds{heartbeat_} / 2, silent);
}

void connection::beat(time_point now) {
    if (heartbeat_.count() == 0 || fallen_) return;
    if (now >= last_heard_ + 2 * heartbeat_) {
        return fall(0, fmt::format("Nothing came from the server for {} s, not even a heartbeat",
                                   2 * heartbeat_.count()));
    }
    if (out_.empty() && now >= last_sent_ + std::chrono::milliseconds{heartbeat_} / 2) {
        {
            const frame_writer sign{out_, frame_kind::heartbeat, 0};
        }
        write_some();
    }
}

// ---- for the owner

wire::answer<void> connection::flush() {
    if (!fallen_) write_some();
    if (fallen_) return std::unexpected{*fallen_};
    return {};
}

wire::answer<bool> connection::read(wire_events& to) {
    hears_ = &to;
    bool some = dispatch(to);
    if (!fallen_ && !std::exchange(quiet_, false)) {
        const auto heard = last_heard_;
        receive();
        some = dispatch(to) || some || heard != last_heard_;
    }
    if (some) return true;
    if (fallen_) return std::unexpected{*fallen_};
    return false;
}

void connection::wait(std::optional<std::chrono::nanoseconds> at_most) {
    if (fallen_ || more_ || inbox_.holds(busy_channel())) return;
    std::optional<time_point> until;
    if (at_most) until = steady_clock::now() + *at_most;
    const bool readable = poll_until(until, true);
    quiet_ = !readable;
    if (!readable) beat(steady_clock::now());
}

void connection::ack(channel_id channel, std::uint64_t tag, bool multiple) {
    if (!is_open(channel)) return;
    const frame_writer method{out_, channel, method_id::basic_ack};
    put(out_, tag);
    put(out_, static_cast<std::uint8_t>(multiple));
}

void connection::nack(channel_id channel, std::uint64_t tag, bool multiple, bool requeue) {
    if (!is_open(channel)) return;
    const frame_writer method{out_, channel, method_id::basic_nack};
    put(out_, tag);
    put(out_, static_cast<std::uint8_t>((multiple ? 1U : 0U) | (requeue ? 2U : 0U)));
}

void connection::reject(channel_id channel, std::uint64_t tag, bool requeue) {
    if (!is_open(channel)) return;
    const frame_writer method{out_, channel, method_id::basic_reject};
    put(out_, tag);
    put(out_, static_cast<std::uint8_t>(requeue));
}

namespace {

std::unexpected<error> cannot_be_sent(const publication& what, std::string why, std::string fix) {
    return std::unexpected{error{errc::refused,
                                 fmt::format("exchange \"{}\", key \"{}\"",
                                             what.exchange.substr(0, 64), what.key.substr(0, 64)),
                                 std::move(why), std::move(fix)}};
}

}  // namespace

std::expected<void, error> connection::publish(channel_id channel, const publication& what) {
    if (!is_open(channel)) return {};
    if (what.exchange.size() > 255 || what.key.size() > 255) {
        return cannot_be_sent(what, "The exchange or the key is longer than 255 bytes",
                              "Give it a shorter name");
    }
    const auto before = out_.size();
    {
        const frame_writer method{out_, channel, method_id::basic_publish};
        put(out_, std::uint16_t{0});
        put_short(out_, what.exchange);
        put_short(out_, what.key);
        put(out_, static_cast<std::uint8_t>(what.mandatory));
    }
    {
        frame_writer header{out_, frame_kind::header, channel};
        put(out_, basic_class);
        put(out_, std::uint16_t{0});
        put(out_, std::uint64_t{what.body.size()});
        auto written = write_properties(what.packed_headers, out_);
        const auto size = header.payload() + frame_overhead;
        if (!written || size > frame_most_) {
            header.give_up();
            out_.resize(before);
            if (!written) return written;
            return cannot_be_sent(
                what,
                fmt::format("The headers take {} bytes on the wire, and a frame holds {}", size,
                            frame_most_),
                "Put less into them, or raise frame_max here and on the server");
        }
    }
    for (auto body = what.body; !body.empty();) {
        const auto part = body.first(std::min(body.size(), frame_most_ - frame_overhead));
        const frame_writer fragment{out_, frame_kind::body, channel};
        out_.append(part.data(), part.size());
        body = body.subspan(part.size());
    }
    if (out_.size() - written_ >= write_from) write_some();
    return {};
}

}  // namespace waybill::rabbitmq::io
