#include "choices.hpp"

#include <algorithm>
#include <cstring>

namespace support {

std::uint64_t choices::number(std::size_t size) {
    std::uint64_t value = 0;
    if (random_) {
        value = (*random_)() >> (64 - 8 * size);
    } else if (!left_.empty()) {
        const std::size_t taken = std::min(size, left_.size());
        std::memcpy(&value, left_.data(), taken);
        left_ = left_.subspan(taken);
    }
    return value;
}

}  // namespace support
