/// Passes over a value that nobody reads. Strings are held to UTF-8, keys may be of any kind.
#pragma once

#include "binary_source.hpp"
#include "utf8.hpp"

#include <cstdint>
#include <string_view>

namespace waybill {

/// The value's first item was taken, and may be a tag; `depth` counts the containers round it.
template <class Format>
[[nodiscard]] bool skip_value(binary_source<Format>& from, int depth);

namespace skipping {

template <class Format>
bool skip_chunks(binary_source<Format>& from, binary_kind kind) {
    return from.read_chunks(kind, [](std::string_view) {});
}

template <class Format>
bool skip_to_stop(binary_source<Format>& from, int depth, std::uint64_t items_each) {
    if (depth == max_binary_depth) return from.fail_depth();
    for (std::uint64_t taken = 0;; ++taken) {
        if (!from.next()) return false;
        if (from.item().kind == binary_kind::stop && taken % items_each == 0) return true;
        if (!skip_value(from, depth + 1)) return false;
    }
}

template <class Format>
[[gnu::noinline]] bool skip_uncounted(binary_source<Format>& from, int depth) {
    switch (from.item().kind) {
        case binary_kind::tag:
            return from.next() && skip_value(from, depth);
        case binary_kind::bytes_begin:
            return skip_chunks(from, binary_kind::bytes);
        case binary_kind::text_begin:
            return skip_chunks(from, binary_kind::text);
        case binary_kind::array_begin:
            return skip_to_stop(from, depth, 1);
        case binary_kind::map_begin:
            return skip_to_stop(from, depth, 2);
        default:
            return from.fail("expected a value");
    }
}

/// What has more items behind it.
template <class Format>
[[gnu::noinline]] bool skip_container(binary_source<Format>& from, int depth) {
    const binary_item& item = from.item();
    const bool map = item.kind == binary_kind::map;
    if (!map && item.kind != binary_kind::array) return skip_uncounted(from, depth);
    if (!from.can_hold(item.number)) return false;
    if (depth == max_binary_depth) return from.fail_depth();
    for (std::uint64_t left = map ? 2 * item.number : item.number; left != 0; --left) {
        if (!from.pass_plain(left)) return false;
        if (left == 0) return true;
        if (!skip_container(from, depth + 1)) return false;
    }
    return true;
}

}  // namespace skipping

template <class Format>
bool skip_value(binary_source<Format>& from, int depth) {
    const binary_item& item = from.item();
    if (item.kind == binary_kind::text) return is_utf8(item.content) || from.fail("expected UTF-8");
    return is_plain(item.kind) || skipping::skip_container(from, depth);
}

}  // namespace waybill
