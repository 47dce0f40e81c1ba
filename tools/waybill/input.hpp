/// What a command reads: a file or standard input, whole, up to a limit.
#pragma once

#include <cstddef>
#include <expected>
#include <string>

namespace waybill::tool {

/// At most `most` bytes and one: more is for the caller to refuse. The error is a sentence.
[[nodiscard]] std::expected<std::string, std::string> read_input(const std::string& file,
                                                                 std::size_t most);

}  // namespace waybill::tool
