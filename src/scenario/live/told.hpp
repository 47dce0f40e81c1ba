/// How what passes between the service and its server is told from one process to another: each
/// call of an observer is a line, `{"do": ..., "at": steady nanoseconds, ...}`.
#pragma once

#include "scenario/json.hpp"
#include "scenario/scenario.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace waybill::scenario::told {

[[nodiscard]] json::value bytes_as_text(std::span<const std::byte> from);
[[nodiscard]] bytes bytes_in(const json::value& line, std::string_view name);
[[nodiscard]] std::uint64_t number_in(const json::value& line, std::string_view name);
[[nodiscard]] std::int64_t signed_in(const json::value& line, std::string_view name);
[[nodiscard]] bool truth_in(const json::value& line, std::string_view name);
[[nodiscard]] std::string text_in(const json::value& line, std::string_view name);

/// A pointer as a number: a name, never followed by who gets it.
[[nodiscard]] inline std::uint64_t place_of(const void* where) noexcept {
    return reinterpret_cast<std::uintptr_t>(where);
}

}  // namespace waybill::scenario::told
