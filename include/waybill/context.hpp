/// All that can be known of the delivery at hand, as one handler parameter (`context&`).
///
/// Belongs to the lane; valid until the handler returns.
#pragma once

#include <waybill/clock.hpp>
#include <waybill/delivery.hpp>
#include <waybill/detail/invocation.hpp>
#include <waybill/detail/mistakes.hpp>
#include <waybill/fields.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

namespace waybill {

class context {
public:
    /// For the runtime, which lends it.
    explicit context(detail::invocation& call) noexcept : call_{&call} {}

    /// Payload, headers and address as they arrived.
    [[nodiscard]] const delivery& message() const noexcept { return *call_->message; }
    /// The number of this delivery; the first is 1.
    [[nodiscard]] std::uint32_t attempt() const noexcept { return call_->message->attempt(); }
    /// The declared cap; 0 when there is none.
    [[nodiscard]] std::uint32_t max_attempts() const noexcept { return call_->max_attempts; }
    /// The subscription's name.
    [[nodiscard]] std::string_view subscription() const noexcept { return call_->subscription; }
    /// The app's clock, virtual in tests: the time since an arbitrary origin, and since 1970. @{
    [[nodiscard]] std::chrono::nanoseconds now() const noexcept { return call_->time->now(); }
    [[nodiscard]] std::chrono::milliseconds wall() const noexcept { return call_->time->wall(); }
    /// @}

    /// Stages a message for an address that only the handler knows, in the subscription's codec
    /// or as bytes. The rules are those of `out<T...>`. What is given is copied. @{
    template <detail::encodable T>
    void publish(std::string_view address, const T& value) {
        detail::stage_to(*call_, address, value_type_of<T>(), &value);
    }
    void publish(std::string_view address, std::span<const std::byte> payload) {
        detail::stage_bytes(*call_, address, payload);
    }
    /// @}
    template <detail::neither_message_nor_payload T>  // never compiles: says why
    void publish(std::string_view, const T&) {
        (void)detail::no_message<T>{};
    }

private:
    detail::invocation* call_;
};

/// The number of this delivery, as a handler parameter; the first is 1.
struct attempt {
    std::uint32_t number = 1;  ///< the first delivery is 1
    /// So that it compares and counts as the number that it is.
    constexpr operator std::uint32_t() const noexcept { return number; }
};

/// Makes a type of yours a handler parameter: specialise it beside the type with
/// `static T extract(context&)`, or `static std::expected<T, error> extract(context&)` where it
/// can fail; a failure is treated as an exception of the handler (`on_exception`).
template <class T>
struct extractor;

namespace detail {
template <class Key>
concept transport_key = requires(const delivery& from) {
    { Key::get(from) } -> std::convertible_to<typename Key::type>;
};
}  // namespace detail

/// A transport's own property of a delivery: `Key` has a `type` and `static type get(const
/// delivery&)`.
template <class Key>
class field {
    static_assert(detail::transport_key<Key>,
                  "waybill: field<Key> takes the key of a transport's property: a class with a "
                  "type and a static type get(const waybill::delivery&)");

public:
    /// What the property is made of.
    using type = typename Key::type;
    /// For the runtime, which asks `Key::get`.
    explicit field(type value) : value_{std::move(value)} {}
    /// The value; owned by this object. @{
    [[nodiscard]] const type& operator*() const noexcept { return value_; }
    [[nodiscard]] const type* operator->() const noexcept { return &value_; }
    /// @}

private:
    type value_;
};

}  // namespace waybill
