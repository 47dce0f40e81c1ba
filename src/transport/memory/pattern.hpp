/// Names of addresses and patterns: words between dots, `*` for any one word, `>` at the end for
/// one word or more.
#pragma once

#include <string>
#include <string_view>

namespace waybill::memory {

[[nodiscard]] bool is_pattern(std::string_view name) noexcept;
[[nodiscard]] bool matches(std::string_view pattern, std::string_view address) noexcept;
/// Why this is no address to publish to; empty when it is one.
[[nodiscard]] std::string address_problem(std::string_view address);
/// Why this is nothing to read; empty when it is.
[[nodiscard]] std::string source_problem(std::string_view name);

}  // namespace waybill::memory
