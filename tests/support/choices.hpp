/// Where a test takes its decisions from: bytes that somebody else chose, or a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>

namespace support {

/// The same bytes or the same seed are always the same decisions.
class choices {
public:
    /// What `bytes` say, which outlive this; behind their end always 0.
    explicit choices(std::span<const std::byte> bytes) : left_(bytes) {}
    /// Without an end.
    explicit choices(std::uint64_t seed) : random_(seed) {}

    /// A number of `size` bytes, at most 8.
    std::uint64_t number(std::size_t size);

    /// A number below `end`, which is above 0 and at most 65536.
    std::size_t below(std::size_t end) { return number(end <= 256 ? 1 : 2) % end; }

    /// Whether the rarest of `count` cases is taken.
    bool one_in(std::size_t count) { return below(count) == count - 1; }

private:
    std::span<const std::byte> left_;
    std::optional<std::mt19937_64> random_;
};

}  // namespace support
