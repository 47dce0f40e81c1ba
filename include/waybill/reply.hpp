/// What a handler returns that answers with a message: a value (published and confirmed, then the
/// delivery is acked), or an outcome.
///
/// The value goes to the address that the subscription declares (`reply_to`), else to the one that
/// its type names: `static constexpr std::string_view address = "payments.paid";`.
#pragma once

#include <waybill/outcome.hpp>

#include <type_traits>
#include <utility>
#include <variant>

namespace waybill {

template <class T>
class reply {
    static_assert(!std::is_same_v<T, outcome> && !std::is_void_v<T>,
                  "waybill: a handler without an answering message returns waybill::outcome or "
                  "void; reply<T> is for a T that is published");
    static_assert(std::is_same_v<T, std::remove_cvref_t<T>>,
                  "waybill: reply<T> holds the answer: name the type without const and &");

public:
    /// Implicit, so that `return paid{...};` and `return waybill::retry();` both read well. @{
    reply(T value) : content_{std::move(value)} {}
    reply(outcome answer) noexcept : content_{answer} {}
    /// @}

    /// Is it a value?
    [[nodiscard]] bool has_value() const noexcept { return content_.index() == 0; }
    /// Only when there is a value.
    [[nodiscard]] const T& value() const& { return std::get<0>(content_); }
    /// The outcome; ack when there is a value.
    [[nodiscard]] outcome answer() const noexcept {
        const auto* given = std::get_if<1>(&content_);
        return given != nullptr ? *given : ack();
    }

private:
    std::variant<T, outcome> content_;
};

}  // namespace waybill
