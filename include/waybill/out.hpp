/// What a handler publishes besides its answer: `void f(const order& o, out<invoice, email> out)`.
///
/// Guarantee: what was staged is published and confirmed before the delivery is acked, and thrown
/// away when the handler answers anything else or throws. Where each type goes is declared
/// (`publish_to<invoice>("invoices")`) or named by the type (`address`).
#pragma once

#include <waybill/detail/invocation.hpp>

#include <cstddef>
#include <type_traits>

namespace waybill {

template <class... Types>
class out {
public:
    /// `first` is the position of the first type among all that the handler publishes.
    out(detail::invocation& call, std::size_t first) noexcept : call_{&call}, first_{first} {}

    /// Stages a value. One that cannot be encoded fails the delivery (`on_exception`).
    template <class T>
        requires(std::is_same_v<T, Types> || ...)
    void publish(const T& value) {
        std::size_t at = first_;
        (void)((std::is_same_v<T, Types> || (++at, false)) || ...);
        detail::stage(*call_, call_->outputs[at], &value);
    }

private:
    detail::invocation* call_;
    std::size_t first_;
};

}  // namespace waybill
