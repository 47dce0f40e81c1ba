/// Memory for what a message views but its payload does not hold as it is: text whose escapes were
/// resolved, bytes that came as base64, strings that came in pieces.
///
/// Guarantee: what `keep` and `room` gave stays where it is until `clear`, which keeps the memory,
/// so that an arena that is used again stops allocating.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace waybill {

/// Owned by one thread at a time. Without memory until it is first needed.
class arena {
public:
    /// A copy of `text` that lives until `clear`.
    [[nodiscard]] std::string_view keep(std::string_view text) {
        if (text.empty()) return {};
        char* const at = room(text.size());
        std::memcpy(at, text.data(), text.size());
        return {at, text.size()};
    }

    /// `size` bytes without particular content that live until `clear`.
    [[nodiscard]] char* room(std::size_t size) {
        if (size > left_) [[unlikely]]
            grow(size);
        char* const at = at_;
        at_ += size;
        left_ -= size;
        return at;
    }

    /// Forgets everything.
    void clear() noexcept {
        if (!blocks_.empty()) [[unlikely]]
            rewind();
    }

private:
    struct block {
        std::unique_ptr<char[]> bytes;
        std::size_t size = 0;
    };

    [[gnu::noinline]] void grow(std::size_t least) {
        const std::size_t last = blocks_.empty() ? 128 : blocks_.back().size;
        const std::size_t size = least > 2 * last ? least : 2 * last;
        blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
        at_ = blocks_.back().bytes.get();
        left_ = size;
    }

    /// The last block is the largest; the others were too small for one message.
    [[gnu::noinline]] void rewind() noexcept {
        if (blocks_.size() > 1) {
            std::swap(blocks_.front(), blocks_.back());
            blocks_.resize(1);
        }
        at_ = blocks_.front().bytes.get();
        left_ = blocks_.front().size;
    }

    std::vector<block> blocks_;
    char* at_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace waybill
