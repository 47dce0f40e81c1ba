/// Every call of the allocator, counted: those of C++ and those of the C library that the loop
/// uses.
#include "exact/meter.hpp"

#include <cstdlib>

constinit std::atomic<std::uint64_t> bench::allocations{0};

// The C library's own names for its allocator, below those that a program may replace.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* had, std::size_t size);
void* __libc_memalign(std::size_t align, std::size_t size);

void* malloc(std::size_t size) {
    bench::allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    bench::allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_calloc(count, size);
}
void* realloc(void* had, std::size_t size) {
    bench::allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_realloc(had, size);
}
void* aligned_alloc(std::size_t align, std::size_t size) {
    bench::allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_memalign(align, size);
}
}
