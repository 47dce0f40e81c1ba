/// What the fuzzer runs, and `make unit` with the inputs that once failed: one target per codec and
/// direction, one for scenario files, and one for the field tables of RabbitMQ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

namespace fuzz {

/// A promise was broken; the text says which.
struct broken : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct target {
    std::string_view name;

    /// Throws `broken`. The first byte of an input of a codec picks a type; the rest is a payload
    /// to decode, or spells the object to encode. A scenario file is the whole input.
    void (*run)(std::span<const std::byte> input);

    /// Fills the front of `input` with one that is nearly good and returns its size; null where any
    /// bytes are good.
    std::size_t (*grow)(std::span<std::byte> input, std::uint64_t seed);
};

[[nodiscard]] std::span<const target> targets();

}  // namespace fuzz
