/// The demo's input: one request a line, as JSON, with the answers that the provider is to give.
#pragma once

#include "gateway.hpp"
#include "messages.hpp"
#include <waybill/error.hpp>

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

struct request_line {
    std::size_t number = 0;  ///< in the file; the first is 1
    std::string text;        ///< its bytes, without the line's end
    /// Nothing when the line is no request; then its bytes are published as they are.
    std::optional<payments::payment_request> request;
    std::vector<payments::answer> answers;  ///< empty: always ok
};

/// "ok", "busy", "unavailable", "declined".
std::string_view word_of(payments::answer said) noexcept;

/// Blank lines are left out; \r\n ends a line too. Fails, with every such line, where the provider
/// is given a word that is no answer.
std::expected<std::vector<request_line>, std::vector<waybill::error>> parse_input(
    std::string_view name, std::string_view bytes);

/// The same of a file.
std::expected<std::vector<request_line>, std::vector<waybill::error>> read_input(
    const std::string& path);

/// Fit for a terminal and a log: control characters and what is not UTF-8 as \xNN, and what is
/// longer than `limit` bytes cut.
std::string printable(std::string_view text, std::size_t limit);

}  // namespace demo
