#include "scenario/live/told.hpp"

#include "codec/base64.hpp"
#include "scenario/values.hpp"

namespace waybill::scenario::told {

json::value bytes_as_text(std::span<const std::byte> from) { return base64_of(from); }

bytes bytes_in(const json::value& line, std::string_view name) {
    const auto* found = line.find(name);
    const auto* text = found != nullptr ? found->text() : nullptr;
    if (text == nullptr) return {};
    bytes made(base64_bytes(*text));
    return decode_base64(*text, made.data()) ? made : bytes{};
}

std::uint64_t number_in(const json::value& line, std::string_view name) {
    const auto* found = line.find(name);
    return found != nullptr ? found->unsigned_integer().value_or(0) : 0;
}

std::int64_t signed_in(const json::value& line, std::string_view name) {
    const auto* found = line.find(name);
    return found != nullptr ? found->integer().value_or(0) : 0;
}

bool truth_in(const json::value& line, std::string_view name) {
    const auto* found = line.find(name);
    const auto* truth = found != nullptr ? found->boolean() : nullptr;
    return truth != nullptr && *truth;
}

std::string text_in(const json::value& line, std::string_view name) {
    const auto* found = line.find(name);
    const auto* text = found != nullptr ? found->text() : nullptr;
    return text != nullptr ? *text : std::string{};
}

}  // namespace waybill::scenario::told
