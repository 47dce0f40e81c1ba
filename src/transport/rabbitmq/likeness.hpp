/// Which of several messages the server has sent back.
///
/// Guarantee: a message is like itself, whatever a server does to its properties and headers on the
/// way (from 4.0 on they are sorted, of several with one name the first stays, and a large unsigned
/// number becomes the signed one of the same bits; BCC is taken out). Two that differ in what it
/// leaves alone are not alike. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace waybill::rabbitmq {

/// Of alike messages the same. Never 0.
[[nodiscard]] std::uint64_t likeness_of(std::span<const std::byte> packed_headers);

}  // namespace waybill::rabbitmq
