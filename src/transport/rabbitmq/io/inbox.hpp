/// What came and was not handled yet: the bytes in the order of the socket, and before them the
/// frames that came while something else was waited for.
///
/// Belongs to one thread. Frames view the buffer: each is good until the next call.
#pragma once

#include "transport/rabbitmq/io/frames.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace waybill::rabbitmq::io {

/// By how much a server's frames may be longer than was agreed upon: to the headers of a message
/// that nearly fill a frame it adds its own (x-delivery-count, x-death), and sends them in one
/// frame all the same. Who refused that would meet the message again and again.
inline constexpr std::size_t added_by_servers = std::size_t{64} * 1024;

class inbox {
public:
    /// `agreed`: the largest frame by agreement, its overhead included.
    explicit inbox(std::size_t agreed);

    /// Where the next bytes go; never empty once all whole frames were taken. @{
    [[nodiscard]] std::span<std::byte> room();
    void filled(std::size_t bytes) noexcept { end_ += bytes; }
    /// @}
    /// The first frame in the buffer, which is taken when it is whole.
    [[nodiscard]] frame_at_front take();

    /// A copy of the frame is kept, to be handled later, behind those that are.
    void hold(const frame& what);
    /// A held frame that owns its bytes.
    struct held_frame {
        std::vector<std::byte> payload;
        frame_kind kind{};
        std::uint16_t channel = 0;
        [[nodiscard]] frame view() const noexcept { return {kind, channel, payload}; }
    };
    /// The first that is held; with a channel, the first of that one.
    [[nodiscard]] std::optional<held_frame> take_held(std::optional<std::uint16_t> of);
    /// The first of that method on that channel.
    [[nodiscard]] std::optional<held_frame> take_held(std::uint16_t of, method_id which);
    [[nodiscard]] bool holds(std::optional<std::uint16_t> of) const noexcept;
    void drop_held(std::uint16_t channel);

private:
    template <class Is>
    std::optional<held_frame> take_first(Is is);

    std::size_t agreed_;
    std::size_t capacity_;
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::deque<held_frame> held_;
};

}  // namespace waybill::rabbitmq::io
