/// The order of keys that RFC 8949, section 4.2.1 asks of deterministic CBOR: bytewise by what is
/// written, so that a shorter text comes first.
#pragma once

#include <waybill/fields.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace waybill {

[[nodiscard]] inline bool key_before(std::string_view one, std::string_view other) noexcept {
    return one.size() != other.size() ? one.size() < other.size() : one < other;
}

/// The members of one aggregate in that order. Allocates nothing.
class key_order {
public:
    explicit key_order(std::span<const field_info> fields) noexcept : size_(fields.size()) {
        for (std::size_t i = 0; i < size_; ++i) ordered_[i] = &fields[i];
        std::sort(begin(), end(), [](const field_info* one, const field_info* other) {
            return key_before(one->name(), other->name());
        });
    }

    [[nodiscard]] const field_info** begin() noexcept { return ordered_.data(); }
    [[nodiscard]] const field_info** end() noexcept { return ordered_.data() + size_; }

private:
    std::array<const field_info*, detail::max_fields> ordered_;  // as many as `size_` are set
    std::size_t size_;
};

}  // namespace waybill
