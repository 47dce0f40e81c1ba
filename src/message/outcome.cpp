#include <waybill/outcome.hpp>

#include <array>
#include <ostream>
#include <utility>

namespace waybill {

const char* to_string(outcome_kind kind) noexcept {
    switch (kind) {
        case outcome_kind::ack:
            return "ack";
        case outcome_kind::retry:
            return "retry";
        case outcome_kind::retry_after:
            return "retry_after";
        case outcome_kind::drop:
            return "drop";
    }
    return "unknown";
}

std::string to_string(outcome value) {
    std::string text = to_string(value.kind());
    if (value.kind() == outcome_kind::retry_after) text += ' ' + to_text(value.delay());
    return text;
}

std::ostream& operator<<(std::ostream& stream, outcome value) { return stream << to_string(value); }

std::string to_text(std::chrono::nanoseconds duration) {
    constexpr std::array<std::pair<std::int64_t, const char*>, 6> units = {
        {{3'600'000'000'000, "h"},
         {60'000'000'000, "m"},
         {1'000'000'000, "s"},
         {1'000'000, "ms"},
         {1'000, "us"},
         {1, "ns"}}};
    const auto count = duration.count();
    if (count == 0) return "0s";
    for (const auto& [size, name] : units) {
        if (count % size == 0) return std::to_string(count / size) + name;
    }
    return {};
}

}  // namespace waybill
