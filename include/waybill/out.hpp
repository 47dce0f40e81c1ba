/// What a handler publishes besides its answer: `void f(const order& o, out<invoice, email> out)`.
///
/// Guarantee: what was staged is published and confirmed before the delivery is acked, and thrown
/// away when the handler answers anything else or throws. Where each type goes is declared
/// (`publish_to<invoice>("invoices")`) or named by the type (`address`). Used on the thread that
/// runs the handler, until it returns. After a kill before the ack the delivery comes again, and
/// what it publishes may arrive twice.
#pragma once

#include <waybill/detail/invocation.hpp>

#include <cstddef>
#include <type_traits>

namespace waybill {

namespace detail {
template <class T, class... List>
inline constexpr bool is_listed_once = (std::size_t{std::is_same_v<T, List>} + ... + 0) == 1;
}

template <class... Types>
class out {
    static_assert(sizeof...(Types) != 0,
                  "waybill: out<...> lists the types that the handler publishes");
    static_assert((std::is_same_v<Types, std::remove_cvref_t<Types>> && ...),
                  "waybill: out<...> lists plain types, without const and &");
    static_assert((detail::is_listed_once<Types, Types...> && ...),
                  "waybill: out<...> lists a type twice");

public:
    /// `first` is the position of the first type among all that the handler publishes.
    out(detail::invocation& call, std::size_t first) noexcept : call_{&call}, first_{first} {}

    /// Stages a value. One that cannot be encoded fails the delivery (`on_exception`).
    template <class T>
    void publish(const T& value) const {
        static_assert((std::is_same_v<T, Types> || ...),
                      "waybill: this out<...> does not list that type: add it to the handler's "
                      "parameter");
        std::size_t at = first_;
        (void)((std::is_same_v<T, Types> || (++at, false)) || ...);
        detail::stage(*call_, call_->outputs[at], &value);
    }

private:
    detail::invocation* call_;
    std::size_t first_;
};

}  // namespace waybill
