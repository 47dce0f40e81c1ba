/// The allocator under everything: malloc, counted.
#include "exact/meter.hpp"

#include <cstdlib>
#include <new>

constinit std::atomic<std::uint64_t> bench::allocations{0};

namespace {

void* allocate(std::size_t size, std::size_t align) {
    bench::allocations.fetch_add(1, std::memory_order_relaxed);
    void* made =
        align <= alignof(std::max_align_t) ? std::malloc(size) : std::aligned_alloc(align, size);
    if (made == nullptr) std::abort();
    return made;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, 1); }
void* operator new[](std::size_t size) { return allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t align) {
    const auto step = static_cast<std::size_t>(align);
    return allocate((size + step - 1) / step * step, step);
}
void operator delete(void* made) noexcept { std::free(made); }
void operator delete[](void* made) noexcept { std::free(made); }
void operator delete(void* made, std::size_t) noexcept { std::free(made); }
void operator delete[](void* made, std::size_t) noexcept { std::free(made); }
void operator delete(void* made, std::align_val_t) noexcept { std::free(made); }
void operator delete(void* made, std::size_t, std::align_val_t) noexcept { std::free(made); }
