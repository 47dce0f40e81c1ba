/// How much heap a call has in use at its worst.
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
};

/// The most bytes that `call` had in use at once, above what was in use before.
template <class Call>
std::size_t heap_peak(const Call& call) {
    const heap_watch watch;
    call();
    return watch.peak();
}

}  // namespace support
