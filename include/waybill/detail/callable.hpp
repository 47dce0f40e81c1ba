/// Finds the one call that a handler offers: its parameters and what it returns.
///
/// A handler is a function, a lambda without `auto` parameters, a static member function, a
/// std::function, a std::ref to one of these, or an object with exactly one `handle` that is no
/// template.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

namespace waybill::detail {

template <class... Types>
struct type_list {
    static constexpr std::size_t size = sizeof...(Types);
};

template <class Result, class... Arguments>
struct signature {
    using result = Result;
    using arguments = type_list<Arguments...>;
};

template <class Member>
struct member_signature {
    static_assert(sizeof(Member) == 0,
                  "waybill: a handler is called as an lvalue, again and again: leave && and "
                  "volatile out of its handle(...) or operator()");
};

template <class R, class C, class... A>
struct member_signature<R (C::*)(A...)> : signature<R, A...> {};
template <class R, class C, class... A>
struct member_signature<R (C::*)(A...) const> : signature<R, A...> {};
template <class R, class C, class... A>
struct member_signature<R (C::*)(A...) noexcept> : signature<R, A...> {};
template <class R, class C, class... A>
struct member_signature<R (C::*)(A...) const noexcept> : signature<R, A...> {};
template <class R, class C, class... A>
struct member_signature<R (C::*)(A...)&> : signature<R, A...> {};
template <class R, class C, class... A>
struct member_signature<R (C::*)(A...) const&> : signature<R, A...> {};
template <class R, class C, class... A>
struct member_signature<R (C::*)(A...) & noexcept> : signature<R, A...> {};
template <class R, class C, class... A>
struct member_signature<R (C::*)(A...) const & noexcept> : signature<R, A...> {};

template <class T>
concept has_one_handle = requires { &T::handle; };
template <class T>
concept has_one_call = requires { &T::operator(); };

template <class T>
struct callable {
    static constexpr bool is = false;
};

template <class R, class... A>
struct callable<R (*)(A...)> : signature<R, A...> {
    static constexpr bool is = true;
    static R call(R (*function)(A...), A... arguments) {
        return function(std::forward<A>(arguments)...);
    }
};
template <class R, class... A>
struct callable<R (*)(A...) noexcept> : signature<R, A...> {
    static constexpr bool is = true;
    static R call(R (*function)(A...) noexcept, A... arguments) {
        return function(std::forward<A>(arguments)...);
    }
};

template <has_one_handle T>
struct callable<T> : member_signature<decltype(&T::handle)> {
    static constexpr bool is = true;
    template <class... A>
    static decltype(auto) call(T& object, A&&... arguments) {
        return object.handle(std::forward<A>(arguments)...);
    }
};

template <class T>
    requires(has_one_call<T> && !has_one_handle<T>)
struct callable<T> : member_signature<decltype(&T::operator())> {
    static constexpr bool is = true;
    template <class... A>
    static decltype(auto) call(T& object, A&&... arguments) {
        return object(std::forward<A>(arguments)...);
    }
};

template <class T>
struct callable<std::reference_wrapper<T>> : callable<T> {
    template <class... A>
    static decltype(auto) call(std::reference_wrapper<T>& object, A&&... arguments) {
        return callable<T>::call(object.get(), std::forward<A>(arguments)...);
    }
};

}  // namespace waybill::detail
