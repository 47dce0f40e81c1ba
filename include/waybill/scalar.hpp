/// A type of your own that stands on the wire as a number, a bool or a text.
///
///     template <>
///     struct waybill::scalar<shop::money> {
///         static std::string to_wire(const shop::money& value);
///         static std::optional<shop::money> from_wire(std::string_view text);
///     };
///
/// Guarantee: `from_wire` gets only what the codec found to be well formed and in range. What it
/// throws, or a result without a value, is a decode error at the value's place.
#pragma once

namespace waybill {

/// A pair of functions. `to_wire` returns a number, bool, std::string or std::string_view;
/// `from_wire` takes one of these and returns a `T`, a std::optional<T>, or a std::expected<T, E>
/// whose error is a text for the message. Specialise it where the type is declared; an enum with a
/// `scalar` is not written by name.
template <class T>
struct scalar;

}  // namespace waybill
