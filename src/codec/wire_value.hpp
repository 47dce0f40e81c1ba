/// The value that stands on the wire for a scalar, while it is read or written.
#pragma once

#include <waybill/value_type.hpp>

#include <array>
#include <cstddef>

namespace waybill {

/// Ends the value's life with its own.
class wire_value {
public:
    /// A fresh value, to be read into.
    explicit wire_value(const value_type& type) : type_(type) {
        type_.construct(place_.data());
        is_alive_ = true;
    }
    /// What `scalar` stands as; without a value, and with the reason in `problem`, when it says no.
    wire_value(const scalar_hooks& scalar, const void* object, std::string& problem)
        : type_(*scalar.written), is_alive_(scalar.to_wire(object, place_.data(), problem)) {}

    ~wire_value() {
        if (is_alive_) type_.destroy(place_.data());
    }
    wire_value(const wire_value&) = delete;
    wire_value& operator=(const wire_value&) = delete;

    [[nodiscard]] bool is_alive() const noexcept { return is_alive_; }
    [[nodiscard]] void* get() noexcept { return place_.data(); }

private:
    const value_type& type_;
    alignas(std::max_align_t) std::array<std::byte, scalar_hooks::place_size> place_;
    bool is_alive_ = false;
};

}  // namespace waybill
