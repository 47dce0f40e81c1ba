/// What a message is made of: `value_type_of<T>()` describes any value that a codec can read or
/// write, without a macro or a base class in the message type.
///
/// Guarantee: the description of a type is made once, never changes and outlives the program's
/// threads; it may be read by many threads at once. Reading a payload by it into an object that was
/// used before gives exactly what a fresh one would hold, while strings, vectors and maps keep
/// their capacity.
///
/// Messages are aggregates at namespace scope with up to 32 public members: integers, `bool`,
/// `float`, `double`, `std::string`, `std::string_view` (borrowed from the payload), enums (by
/// enumerator's name), bytes (`std::byte` in a std::vector, std::array or const std::span),
/// `std::vector`, `std::array`, `std::optional`, `std::variant`, `std::map` and
/// `std::unordered_map` with std::string keys, durations and points of time of std::chrono, types
/// with a `scalar` of their own, and other such aggregates, which may contain themselves through a
/// vector or a map. What cannot be described does not compile, with a sentence that says why.
/// Names, defaults and members left out are set in `message_traits`.
#pragma once

#include <waybill/detail/describe.hpp>
#include <waybill/message_traits.hpp>
#include <waybill/scalar.hpp>
#include <waybill/value_type.hpp>

#include <concepts>
#include <mutex>
#include <span>
#include <type_traits>

namespace waybill {

/// `T` can be a message. Looks at `T` itself; a member that cannot be read is found, with a
/// sentence, when the type is described.
template <class T>
concept reflectable = std::is_same_v<T, std::remove_cvref_t<T>> && detail::can_reflect<T>();

/// The description of `T`. The first call for a type takes a lock and may allocate; later ones cost
/// a load. Any thread.
template <class T>
const value_type& value_type_of() noexcept {
    static const value_type& about = [] -> const value_type& {
        const std::scoped_lock lock{detail::description_lock()};
        return detail::describe<T>();
    }();
    return about;
}

/// The fields of the aggregate `T` on the wire, in order of declaration.
template <reflectable T>
    requires(detail::kind_of<T>() == value_kind::aggregate)
std::span<const field_info> fields_of() noexcept {
    return value_type_of<T>().fields;
}

/// A `T` has members that view the payload (std::string_view, std::span) and is good for as long as
/// the payload and the arena of the decode are.
template <class T>
concept borrowing = detail::borrows_inside<T>();

}  // namespace waybill
