/// What a handler returns that answers with a message: a value (published and confirmed, then the
/// delivery is acked), or an outcome.
///
/// The value goes to the address that the subscription declares (`reply_to`), else to the one that
/// its type names: `static constexpr std::string_view address = "payments.paid";`.
#pragma once

#include <waybill/outcome.hpp>

#include <utility>
#include <variant>

namespace waybill {

template <class T>
class reply {
public:
    reply(T value) : content_{std::move(value)} {}
    reply(outcome answer) noexcept : content_{answer} {}

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
