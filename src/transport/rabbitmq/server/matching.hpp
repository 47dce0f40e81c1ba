/// Which bindings take a message, by the kind of their exchange.
#pragma once

#include <waybill/headers.hpp>

#include <string_view>

namespace waybill::rabbitmq::fake {

/// Words between dots; `*` is one word, `#` any number of them, none included.
[[nodiscard]] bool topic_matches(std::string_view pattern, std::string_view key);

/// By `x-match` in the arguments (all, any, all-with-x, any-with-x; all when it is not there). An
/// argument without a value asks that the header is there, whatever it is.
[[nodiscard]] bool headers_match(const headers& arguments, const headers& of_message);

/// Equal, where integers of different widths may be: how the server compares arguments.
[[nodiscard]] bool is_same_value(const header_value& a, const header_value& b);

}  // namespace waybill::rabbitmq::fake
