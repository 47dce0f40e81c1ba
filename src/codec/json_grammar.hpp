/// How JSON's scalars are spelled (RFC 8259, sections 3, 6 and 7), for those that nobody reads.
///
/// simdjson has seen to the rest: strings end, are UTF-8 and without raw control characters, and a
/// bracket stands somewhere behind every scalar.
#pragma once

namespace waybill {

/// Whether `true`, `false` or `null` starts at `at`, and ends there.
[[nodiscard]] bool is_json_literal(const char* at) noexcept;

/// Whether the token at `at` is a number, of any size.
[[nodiscard]] bool is_json_number(const char* at) noexcept;

/// Whether the escapes of the string whose quote is at `at` stand for Unicode characters:
/// surrogates come in pairs.
[[nodiscard]] bool is_json_string(const char* at) noexcept;

/// The first quote or backslash of a string from `at` on.
[[nodiscard]] const char* find_quote_or_escape(const char* at) noexcept;

}  // namespace waybill
