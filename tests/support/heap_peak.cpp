#include "heap_peak.hpp"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WAYBILL_THREAD_SANITIZER
#include <sanitizer/allocator_interface.h>
#endif
#endif

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace support {
namespace {

/// Blocks count with what the C library made of them, which is at least what was asked for.
struct usage {
    bool watched = false;
    std::ptrdiff_t now = 0;
    std::ptrdiff_t peak = 0;
    std::size_t allocations = 0;
};
constinit thread_local usage here;

void made_one(std::size_t size) noexcept {
    if (!here.watched) return;
    ++here.allocations;
    here.now += static_cast<std::ptrdiff_t>(size);
    here.peak = std::max(here.peak, here.now);
}

void freed_one(std::size_t size) noexcept {
    if (here.watched) here.now -= static_cast<std::ptrdiff_t>(size);
}

#if defined(WAYBILL_THREAD_SANITIZER)

// It has operators of its own, which cannot be replaced as well, and calls these.
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t size) { made_one(size); },
    [](const volatile void* made) {
        freed_one(__sanitizer_get_allocated_size(const_cast<const void*>(made)));
    });

#else

void* allocate(std::size_t size, std::size_t align) noexcept {
    void* const made = align <= alignof(std::max_align_t)
                           ? std::malloc(std::max<std::size_t>(size, 1))
                           : std::aligned_alloc(align, (size + align - 1) / align * align);
    if (made != nullptr) made_one(malloc_usable_size(made));
    return made;
}

void* allocate_or_throw(std::size_t size, std::size_t align = 1) {
    void* const made = allocate(size, align);
    if (made == nullptr) throw std::bad_alloc{};
    return made;
}

void release(void* made) noexcept {
    if (made != nullptr) freed_one(malloc_usable_size(made));
    std::free(made);
}

#endif

}  // namespace

heap_watch::heap_watch() noexcept { here = {.watched = true}; }
heap_watch::~heap_watch() { here.watched = false; }
std::size_t heap_watch::peak() const noexcept { return static_cast<std::size_t>(here.peak); }
std::size_t heap_watch::in_use() const noexcept {
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(here.now, 0));
}
std::size_t heap_watch::allocations() const noexcept { return here.allocations; }

}  // namespace support

#if !defined(WAYBILL_THREAD_SANITIZER)

using support::allocate;
using support::allocate_or_throw;
using support::release;

// All of them, because those of a sanitizer do not mix with these.
void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t align) {
    return allocate_or_throw(size, static_cast<std::size_t>(align));
}
void* operator new[](std::size_t size, std::align_val_t align) {
    return allocate_or_throw(size, static_cast<std::size_t>(align));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t align, const std::nothrow_t&) noexcept {
    return allocate(size, static_cast<std::size_t>(align));
}
void* operator new[](std::size_t size, std::align_val_t align, const std::nothrow_t&) noexcept {
    return allocate(size, static_cast<std::size_t>(align));
}
void operator delete(void* made) noexcept { release(made); }
void operator delete[](void* made) noexcept { release(made); }
void operator delete(void* made, std::size_t) noexcept { release(made); }
void operator delete[](void* made, std::size_t) noexcept { release(made); }
void operator delete(void* made, std::align_val_t) noexcept { release(made); }
void operator delete[](void* made, std::align_val_t) noexcept { release(made); }
void operator delete(void* made, std::size_t, std::align_val_t) noexcept { release(made); }
void operator delete[](void* made, std::size_t, std::align_val_t) noexcept { release(made); }
void operator delete(void* made, const std::nothrow_t&) noexcept { release(made); }
void operator delete[](void* made, const std::nothrow_t&) noexcept { release(made); }

#endif
