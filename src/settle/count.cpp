#include "settle/count.hpp"

#include <algorithm>
#include <charconv>

namespace waybill::settle {
namespace {

/// The number in a count header: decimal digits only, or an integer not below 0. A number too
/// long to read is the largest there is. Nothing: the header is malformed.
std::optional<std::uint64_t> number_in(const header_value& value) {
    if (const auto integer = value.unsigned_integer()) return integer;
    const auto text = value.text();
    if (!text || text->empty()) return std::nullopt;
    const bool digits = std::all_of(text->begin(), text->end(),
                                    [](char letter) { return letter >= '0' && letter <= '9'; });
    if (!digits) return std::nullopt;
    std::uint64_t number = 0;
    const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
    return read.ec == std::errc{} ? number : UINT64_MAX;
}

std::int64_t time_in(const header_value& value) {
    const auto number = number_in(value);
    if (!number) return 0;
    return static_cast<std::int64_t>(std::min<std::uint64_t>(*number, INT64_MAX));
}

bool is_ours(std::string_view retry_source, const counting& by) {
    return retry_source == by.reader || retry_source == "*" ||
           std::find(by.formerly.begin(), by.formerly.end(), retry_source) != by.formerly.end();
}

/// The headers that matter for counting, found in one walk.
struct found_headers {
    std::optional<header_value> count;
    std::optional<header_value> retry_source;
    bool has_record = false;
};

found_headers walk(std::span<const std::byte> packed, const counting& by, history& result) {
    found_headers found;
    for (const auto& entry : headers::borrow(packed)) {
        switch (entry.known) {
            case known_header::none:
                if (!by.count_header.empty() && !found.count &&
                    detail::same_name(entry.name, by.count_header)) {
                    found.count = entry.value;
                }
                break;
            case known_header::retry_count:
                if (by.count_header.empty() && !found.count) found.count = entry.value;
                break;
            case known_header::retry_source:
                if (!found.retry_source) found.retry_source = entry.value;
                break;
            case known_header::due:
                result.due_ms = time_in(entry.value);
                break;
            case known_header::expires_at:
                result.expires_at_ms = time_in(entry.value);
                break;
            case known_header::id:
                result.root_id = entry.value.text().value_or("");
                break;
            case known_header::dead_first_at:
                if (number_in(entry.value)) result.first_death_at = entry.value.text().value_or("");
                break;
            case known_header::dead_count:
                result.deaths = static_cast<std::uint32_t>(
                    std::min<std::uint64_t>(number_in(entry.value).value_or(0), UINT32_MAX - 1));
                break;
            default:
                break;
        }
        // A small budget may have left out any field of the record.
        if (entry.known >= known_header::dead_reason) found.has_record = true;
    }
    return found;
}

std::uint32_t bounded(std::uint64_t carried, std::uint32_t cap) {
    const auto most = cap != 0 ? cap : UINT32_MAX - 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(carried, most));
}

}  // namespace

history read_history(std::span<const std::byte> packed_headers, const counting& by) {
    history result;
    if (packed_headers.empty()) return result;
    const auto found = walk(packed_headers, by, result);
    if (found.has_record) result.deaths = std::max(result.deaths, 1U);
    const auto number = found.count ? number_in(*found.count) : std::uint64_t{0};
    if (!number) result.note = history_note::malformed_count;
    const auto carried = number.value_or(0);

    if (found.retry_source) {
        const auto reader = found.retry_source->text();
        result.own = reader && is_ours(*reader, by);
        result.foreign = !result.own;
        result.carried = bounded(carried, by.cap);
        // The one attempt that is left is within the cap.
        if (result.foreign && by.cap != 0) result.carried = std::min(result.carried, by.cap - 1);
        return result;
    }
    if (found.has_record) return result;
    if (by.cap != 0 && carried >= by.cap) {
        result.note = history_note::others_history;
        return result;
    }
    result.carried = bounded(carried, by.cap);
    return result;
}

}  // namespace waybill::settle
