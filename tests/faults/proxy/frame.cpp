#include "frame.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace faults {
namespace {

constexpr std::size_t head_size = 7;
constexpr unsigned char frame_end = 0xCE;
constexpr std::string_view protocol = "AMQP";
constexpr std::size_t protocol_size = 8;
// What claims to be larger is another protocol.
constexpr std::size_t largest_payload = 16UL * 1024 * 1024;

struct method {
    std::uint16_t class_id;
    std::uint16_t method_id;
    std::string_view name;
};

constexpr auto methods = std::to_array<method>({
    {10, 10, "connection.start"},
    {10, 11, "connection.start-ok"},
    {10, 20, "connection.secure"},
    {10, 21, "connection.secure-ok"},
    {10, 30, "connection.tune"},
    {10, 31, "connection.tune-ok"},
    {10, 40, "connection.open"},
    {10, 41, "connection.open-ok"},
    {10, 50, "connection.close"},
    {10, 51, "connection.close-ok"},
    {10, 60, "connection.blocked"},
    {10, 61, "connection.unblocked"},
    {10, 70, "connection.update-secret"},
    {10, 71, "connection.update-secret-ok"},
    {20, 10, "channel.open"},
    {20, 11, "channel.open-ok"},
    {20, 20, "channel.flow"},
    {20, 21, "channel.flow-ok"},
    {20, 40, "channel.close"},
    {20, 41, "channel.close-ok"},
    {40, 10, "exchange.declare"},
    {40, 11, "exchange.declare-ok"},
    {40, 20, "exchange.delete"},
    {40, 21, "exchange.delete-ok"},
    {40, 30, "exchange.bind"},
    {40, 31, "exchange.bind-ok"},
    {40, 40, "exchange.unbind"},
    {40, 51, "exchange.unbind-ok"},
    {50, 10, "queue.declare"},
    {50, 11, "queue.declare-ok"},
    {50, 20, "queue.bind"},
    {50, 21, "queue.bind-ok"},
    {50, 30, "queue.purge"},
    {50, 31, "queue.purge-ok"},
    {50, 40, "queue.delete"},
    {50, 41, "queue.delete-ok"},
    {50, 50, "queue.unbind"},
    {50, 51, "queue.unbind-ok"},
    {60, 10, "basic.qos"},
    {60, 11, "basic.qos-ok"},
    {60, 20, "basic.consume"},
    {60, 21, "basic.consume-ok"},
    {60, 30, "basic.cancel"},
    {60, 31, "basic.cancel-ok"},
    {60, 40, "basic.publish"},
    {60, 50, "basic.return"},
    {60, 60, "basic.deliver"},
    {60, 70, "basic.get"},
    {60, 71, "basic.get-ok"},
    {60, 72, "basic.get-empty"},
    {60, 80, "basic.ack"},
    {60, 90, "basic.reject"},
    {60, 100, "basic.recover-async"},
    {60, 110, "basic.recover"},
    {60, 111, "basic.recover-ok"},
    {60, 120, "basic.nack"},
    {85, 10, "confirm.select"},
    {85, 11, "confirm.select-ok"},
    {90, 10, "tx.select"},
    {90, 11, "tx.select-ok"},
    {90, 20, "tx.commit"},
    {90, 21, "tx.commit-ok"},
    {90, 30, "tx.rollback"},
    {90, 31, "tx.rollback-ok"},
});

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t width) noexcept {
    std::uint32_t number = 0;
    for (const char each : bytes.substr(at, width)) {
        number = number << 8 | static_cast<unsigned char>(each);
    }
    return number;
}

std::optional<piece_kind> kind_of(char type) noexcept {
    switch (type) {
        case 1:
            return piece_kind::method;
        case 2:
            return piece_kind::header;
        case 3:
            return piece_kind::body;
        case 8:
            return piece_kind::heartbeat;
        default:
            return std::nullopt;
    }
}

}  // namespace

std::string_view to_text(side from) noexcept { return from == side::client ? "client" : "server"; }

bool is_method_name(std::string_view name) noexcept {
    return std::ranges::find(methods, name, &method::name) != methods.end();
}

std::string piece::name() const {
    switch (kind) {
        case piece_kind::protocol_header:
            return "protocol";
        case piece_kind::header:
            return "header";
        case piece_kind::body:
            return "body";
        case piece_kind::heartbeat:
            return "heartbeat";
        case piece_kind::raw:
            return "raw";
        case piece_kind::method:
            break;
    }
    for (const auto& each : methods) {
        if (each.class_id == class_id && each.method_id == method_id) return std::string{each.name};
    }
    return std::to_string(class_id) + "." + std::to_string(method_id);
}

void frame_reader::feed(std::string_view bytes) {
    bytes_.erase(0, std::exchange(taken_, 0));
    bytes_ += bytes;
}

std::string_view frame_reader::waiting() const noexcept {
    return std::string_view{bytes_}.substr(taken_);
}

piece frame_reader::take(std::size_t size, piece_kind kind) {
    piece taken;
    taken.kind = kind;
    taken.begins = passed_;
    taken.bytes = waiting().substr(0, size);
    taken_ += size;
    passed_ += size;
    return taken;
}

std::optional<piece> frame_reader::next() {
    const auto bytes = waiting();
    if (bytes.empty()) return std::nullopt;
    if (!raw_ && passed_ == 0 && bytes.front() == protocol.front()) {
        if (bytes.size() < protocol_size) return std::nullopt;
        if (bytes.starts_with(protocol)) {
            return take(protocol_size, piece_kind::protocol_header);
        }
    }
    const auto kind = kind_of(bytes.front());
    raw_ = raw_ || !kind;
    if (raw_) return take(bytes.size(), piece_kind::raw);
    if (bytes.size() < head_size) return std::nullopt;
    const std::size_t payload = number_at(bytes, 3, 4);
    raw_ = payload > largest_payload;
    if (raw_) return take(bytes.size(), piece_kind::raw);
    const std::size_t size = head_size + payload + 1;
    if (bytes.size() < size) return std::nullopt;
    if (static_cast<unsigned char>(bytes[size - 1]) != frame_end) {
        raw_ = true;
        return take(bytes.size(), piece_kind::raw);
    }
    auto taken = take(size, *kind);
    taken.channel = static_cast<std::uint16_t>(number_at(taken.bytes, 1, 2));
    if (*kind == piece_kind::method && size >= head_size + 5) {
        taken.class_id = static_cast<std::uint16_t>(number_at(taken.bytes, head_size, 2));
        taken.method_id = static_cast<std::uint16_t>(number_at(taken.bytes, head_size + 2, 2));
    }
    return taken;
}

std::optional<piece> frame_reader::rest() {
    if (auto whole = next()) return whole;
    if (waiting().empty()) return std::nullopt;
    return take(waiting().size(), piece_kind::raw);
}

}  // namespace faults
