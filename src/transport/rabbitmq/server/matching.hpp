/// Which bindings of an exchange of headers take a message.
#pragma once

#include <waybill/headers.hpp>

namespace waybill::rabbitmq::fake {

/// By `x-match` in the arguments (all, any, all-with-x, any-with-x; all when it is not there). An
/// argument without a value asks that the header is there, whatever it is.
[[nodiscard]] bool headers_match(const headers& arguments, const headers& of_message);

/// Equal, where integers of different widths may be: how the server compares arguments.
[[nodiscard]] bool is_same_value(const header_value& a, const header_value& b);

}  // namespace waybill::rabbitmq::fake
