/// The characters of UTF-8, as RFC 3629 has them.
#pragma once

#include <waybill/export.h>

#include <cstddef>
#include <string_view>

namespace waybill {

/// The length of the well-formed character at the front of `text`, which is not empty; 0 when there
/// is none (section 4).
[[nodiscard]] WAYBILL_INNER std::size_t character_at_front(std::string_view text) noexcept;

}  // namespace waybill
