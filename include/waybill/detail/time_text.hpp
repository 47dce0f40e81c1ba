/// Points of time as text: RFC 3339, in UTC.
#pragma once

#include <waybill/export.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace waybill::detail {

/// Seconds since 1970-01-01T00:00:00Z, without leap seconds, and nanoseconds of that second.
struct wall_time {
    std::int64_t seconds = 0;
    std::uint32_t nanoseconds = 0;
};

/// The years that RFC 3339 can write: 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
inline constexpr std::int64_t first_second = -62'167'219'200;
inline constexpr std::int64_t last_second = 253'402'300'799;

/// A text and its letters, of which the view is the first member: codecs read no more.
struct time_text {
    std::string_view view;
    std::array<char, 32> letters;
};

/// "2026-01-31T12:00:00Z", with 3, 6 or 9 digits behind the second when they are not zero. The time
/// is between the bounds above.
WAYBILL_API std::string_view write_time(wall_time time, std::array<char, 32>& letters) noexcept;

/// False when `text` is not RFC 3339's date-time: any offset, any number of digits behind the
/// second as long as those beyond nanoseconds are zero; nor when the offset leads out of the bounds
/// above. A leap second is the first one of the next minute.
WAYBILL_API bool parse_time(std::string_view text, wall_time& time) noexcept;

}  // namespace waybill::detail
