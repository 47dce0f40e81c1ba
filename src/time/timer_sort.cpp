#include "time/timer_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace waybill {

namespace {

// An object, not a function: the algorithms inline its call.
constexpr auto in_order = [](const timer_entry& a, const timer_entry& b) {
    return fires_before(a, b);
};

constexpr unsigned group_bits = 8;
constexpr std::size_t group_count = std::size_t{1} << group_bits;
constexpr std::size_t small = 16;

void insertion_sort(std::span<timer_entry> entries) noexcept {
    for (std::size_t i = 1; i < entries.size(); ++i) {
        const timer_entry entry = entries[i];
        std::size_t at = i;
        for (; at > 0 && fires_before(entry, entries[at - 1]); --at) entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

void sort_group(std::span<timer_entry> entries) {
    if (entries.size() <= small) {
        insertion_sort(entries);
    } else {
        std::sort(entries.begin(), entries.end(), in_order);
    }
}

}  // namespace

/// Timers are spread over their time rather evenly: one pass puts each within a place or two of
/// where it belongs, without a comparison for the processor to guess.
void sort_timers(std::vector<timer_entry>& entries, std::vector<timer_entry>& scratch) {
    if (entries.size() <= small) return insertion_sort(entries);
    if (std::is_sorted(entries.begin(), entries.end(), in_order)) return;
    const auto by_key = [](const timer_entry& a, const timer_entry& b) { return a.key < b.key; };
    const auto [least, most] = std::minmax_element(entries.begin(), entries.end(), by_key);
    const std::uint64_t min = least->key;
    const auto width = static_cast<unsigned>(std::bit_width(most->key - min));
    const unsigned shift = width > group_bits ? width - group_bits : 0;

    std::array<std::uint32_t, group_count> ends{};
    for (const timer_entry& e : entries) ++ends[(e.key - min) >> shift];
    std::uint32_t sum = 0;
    for (std::uint32_t& end : ends) end = std::exchange(sum, sum + end);
    scratch.resize(entries.size());
    for (const timer_entry& e : entries) scratch[ends[(e.key - min) >> shift]++] = e;
    entries.swap(scratch);

    std::size_t begin = 0;
    for (const std::uint32_t end : ends) {
        if (end - begin > 1) sort_group({entries.data() + begin, end - begin});
        begin = end;
    }
}

}  // namespace waybill
