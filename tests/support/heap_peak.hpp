/// How much heap a call has in use at its worst, and how often it asks for some.
#pragma once

#include <cstddef>

namespace support {

/// Counts what this thread allocates by `new` while it lives, and what it frees of that. One at a
/// time on a thread.
class heap_watch {
public:
    heap_watch() noexcept;
    ~heap_watch();
    heap_watch(const heap_watch&) = delete;
    heap_watch& operator=(const heap_watch&) = delete;

    /// The most bytes in use at once since the start, above what was in use then.
    [[nodiscard]] std::size_t peak() const noexcept;
    /// Bytes in use now above what was in use at the start; 0 where it is less.
    [[nodiscard]] std::size_t in_use() const noexcept;
    /// How often memory was asked for since the start.
    [[nodiscard]] std::size_t allocations() const noexcept;
};

/// The most bytes that `call` had in use at once, above what was in use before.
template <class Call>
std::size_t heap_peak(const Call& call) {
    const heap_watch watch;
    call();
    return watch.peak();
}

/// How often `call` asked for memory.
template <class Call>
std::size_t allocations(const Call& call) {
    const heap_watch watch;
    call();
    return watch.allocations();
}

}  // namespace support
