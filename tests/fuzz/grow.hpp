/// Inputs that get far: good payloads with some damage.
#pragma once

#include <waybill/codec.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuzz {

/// Fills the front of `input`, which has room for 2 bytes and more, with the index of a type and a
/// payload of that type that is damaged in up to three places; returns the size.
std::size_t grow_payload(const waybill::codec_interface& codec, std::span<std::byte> input,
                         std::uint64_t seed);

}  // namespace fuzz
