/// A type of your own that stands on the wire as a number, a bool, a text or bytes.
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

/// A pair of functions. `to_wire` returns a number, bool, text (std::string, std::string_view) or
/// bytes (std::vector, std::array, std::span of std::byte), of at most 64 bytes as an object;
/// `from_wire` takes one of these. `from_wire` returns a `T`, and either may return a std::optional
/// or a std::expected<..., E> of that, whose error is a text for the message; of it, the first 48
/// bytes are shown, and what stood there behind it: do not put the value into it. Specialise it
/// where the type is declared; an enum with a `scalar` is not written by name.
template <class T>
struct scalar;

}  // namespace waybill
