/// A growing run of bytes for encoders.
///
/// Guarantee: 64 bytes behind the last one may be read (their content is unspecified), as the
/// decoders ask; `clear` keeps the capacity, so a buffer that is used again stops allocating.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace waybill {

/// Owned by one thread at a time. Pointers and spans into it are good until the next change.
class byte_buffer {
public:
    /// Bytes that may be read behind the end.
    static constexpr std::size_t padding = 64;

    byte_buffer() = default;
    /// What is moved from is empty and can be used again. @{
    byte_buffer(byte_buffer&& other) noexcept
        : bytes_(std::move(other.bytes_)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    byte_buffer& operator=(byte_buffer&& other) noexcept {
        bytes_ = std::move(other.bytes_);
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, 0);
        return *this;
    }
    /// @}

    /// Null only in a buffer that never held anything. @{
    [[nodiscard]] std::byte* data() noexcept { return bytes_.get(); }
    [[nodiscard]] const std::byte* data() const noexcept { return bytes_.get(); }
    /// @}
    /// In bytes. @{
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    /// @}
    /// All of it.
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data(), size_}; }

    /// Empties it and keeps the memory.
    void clear() noexcept { size_ = 0; }

    /// Room for this many bytes in all. Throws std::bad_alloc, as everything that grows does.
    void reserve(std::size_t capacity) {
        if (capacity > capacity_ || !bytes_) grow(capacity);
    }

    /// Bytes that are new have no particular content.
    void resize(std::size_t size) {
        reserve(size);
        size_ = size;
    }

    /// Copies to the end; must not be bytes of this buffer. @{
    void append(const void* bytes, std::size_t size) {
        if (size != 0) std::memcpy(extend(size), bytes, size);
    }
    void append(std::string_view text) { append(text.data(), text.size()); }
    /// @}

    /// Adds `size` bytes and returns where to write them.
    [[nodiscard]] std::byte* extend(std::size_t size) {
        std::byte* const at = room(size);
        size_ += size;
        return at;
    }

    /// The end of the content, with room for `size` bytes that `finish_at` may add.
    [[nodiscard]] std::byte* room(std::size_t size) {
        if (size > capacity_ - size_ || !bytes_) [[unlikely]]
            grow(size_ + size);
        return bytes_.get() + size_;
    }

    /// Makes `end`, which lies in what `room` gave, the new end.
    void finish_at(const std::byte* end) noexcept {
        size_ = static_cast<std::size_t>(end - bytes_.get());
    }

private:
    [[gnu::noinline]] void grow(std::size_t least) {
        const std::size_t capacity = std::max({least, capacity_ * 2, std::size_t{64}});
        auto larger = std::make_unique_for_overwrite<std::byte[]>(capacity + padding);
        if (size_ != 0) std::memcpy(larger.get(), bytes_.get(), size_);
        bytes_ = std::move(larger);
        capacity_ = capacity;
    }

    std::unique_ptr<std::byte[]> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace waybill
