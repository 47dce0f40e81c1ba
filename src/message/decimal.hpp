/// A number as text, in a buffer of its own.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace waybill {

inline constexpr std::size_t longest_decimal = 20;

class decimal {
public:
    explicit decimal(std::int64_t number) noexcept
        : size_{static_cast<std::size_t>(
              std::to_chars(digits_.data(), digits_.data() + digits_.size(), number).ptr -
              digits_.data())} {}
    [[nodiscard]] std::string_view text() const noexcept { return {digits_.data(), size_}; }

private:
    std::array<char, longest_decimal> digits_;
    std::size_t size_;
};

}  // namespace waybill
