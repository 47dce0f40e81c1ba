/// The rule of a topic exchange.
#pragma once

#include <waybill/export.h>

#include <string_view>

namespace waybill::rabbitmq {

/// Words between dots; in a pattern `*` is one word, `#` any number of them, none included. An
/// empty text has no word. Pure.
[[nodiscard]] WAYBILL_INNER bool topic_matches(std::string_view pattern, std::string_view key);

}  // namespace waybill::rabbitmq
