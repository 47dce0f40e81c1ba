/// A delivery in the hand of the service: its address, headers and payload in one piece.
///
/// Guarantee: 64 readable bytes follow the payload; once warm, nothing is allocated for messages of
/// up to 64 KiB. What was never given back goes with the pool. A pool belongs to the thread of its
/// connection; its messages may be read on any.
#pragma once

#include <waybill/detail/transport.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace waybill::rabbitmq {

struct message {
    message* next = nullptr;
    std::uint64_t tag = 0;
    std::uint64_t generation = 0;
    std::int64_t expires_at_ms = 0;
    std::size_t payload_size = 0;
    std::uint32_t address_size = 0;
    std::uint32_t headers_size = 0;
    std::uint32_t counted = 0;
    std::uint8_t size_class = 0;
    bool redelivered = false;

    [[nodiscard]] std::byte* content() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    [[nodiscard]] std::byte* payload() noexcept { return content() + headers_size + address_size; }
    [[nodiscard]] detail::received view() noexcept {
        const auto* at = content();
        return {{reinterpret_cast<const char*>(at + headers_size), address_size},
                {payload(), payload_size},
                {at, headers_size},
                this,
                generation,
                counted,
                redelivered,
                expires_at_ms};
    }
};

class message_pool {
public:
    message_pool() = default;
    ~message_pool();
    message_pool(const message_pool&) = delete;
    message_pool& operator=(const message_pool&) = delete;

    /// Room for these and the bytes behind; only the sizes are set. Throws std::bad_alloc.
    message* take(std::size_t headers, std::size_t address, std::size_t payload);
    void give(message* used) noexcept;

private:
    static constexpr std::size_t class_count = 10;  ///< 128 B doubling to 64 KiB

    message* refill(std::size_t index, std::size_t size);

    std::array<message*, class_count> free_{};
    std::vector<void*> all_;           ///< of the classes
    std::unordered_set<void*> large_;  ///< beyond them
};

}  // namespace waybill::rabbitmq
