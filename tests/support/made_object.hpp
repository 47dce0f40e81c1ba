/// An object of a type of which only the table is known.
#pragma once

#include <waybill/value_type.hpp>

#include <new>

namespace support {

/// A `T{}` with a place of its own on the heap.
class made_object {
public:
    explicit made_object(const waybill::value_type& type)
        : type_(type), place_(::operator new(type.size, std::align_val_t{type.align})) {
        type_.construct(place_);
    }
    ~made_object() {
        type_.destroy(place_);
        ::operator delete(place_, std::align_val_t{type_.align});
    }
    made_object(const made_object&) = delete;
    made_object& operator=(const made_object&) = delete;

    [[nodiscard]] void* get() noexcept { return place_; }
    [[nodiscard]] const void* get() const noexcept { return place_; }

private:
    const waybill::value_type& type_;
    void* place_;
};

}  // namespace support
