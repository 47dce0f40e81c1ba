#include "transport/rabbitmq/mismatch.hpp"

namespace waybill::rabbitmq {
namespace {

/// What stands between two pieces of a text.
std::optional<std::string_view> between(std::string_view text, std::string_view before,
                                        std::string_view after) noexcept {
    const auto begin = text.find(before);
    if (begin == std::string_view::npos) return std::nullopt;
    text.remove_prefix(begin + before.size());
    return text.substr(0, text.find(after));
}

}  // namespace

std::optional<std::string_view> said_value::quoted() const noexcept {
    return between(value, "'", "'");
}

std::optional<mismatch> read_mismatch(std::string_view text) noexcept {
    const auto argument = between(text, "inequivalent arg '", "'");
    const auto received = between(text, "received ", " but current");
    const auto current = between(text, "but current is ", "\n");
    if (!argument || !received || !current) return std::nullopt;
    return mismatch{*argument, *received, *current};
}

said_value read_value(std::string_view text) noexcept {
    return {text.substr(0, text.find(" of type ")),
            between(text, " of type '", "'").value_or(std::string_view{})};
}

}  // namespace waybill::rabbitmq
