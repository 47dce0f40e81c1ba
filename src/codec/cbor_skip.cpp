#include "cbor_skip.hpp"

#include <cstdint>

namespace waybill {
namespace {

[[gnu::noinline]] bool skip_container(cbor_source& from, int depth);

[[gnu::always_inline]] inline bool skip(cbor_source& from, int depth) {
    const cbor_item& item = from.item();
    if (item.kind == cbor_kind::text) return is_utf8(item.content) || from.fail("expected UTF-8");
    return is_plain(item.kind) || skip_container(from, depth);
}

bool skip_definite(cbor_source& from, int depth, std::uint64_t items_each) {
    // Each item takes a byte, so a length can be seen to lie.
    if (from.item().number > from.left()) return from.fail("expected as many items as announced");
    for (std::uint64_t left = from.item().number * items_each; left != 0; --left)
        if (!from.next() || !skip(from, depth)) return false;
    return true;
}

bool skip_indefinite(cbor_source& from, int depth, std::uint64_t items_each) {
    for (std::uint64_t taken = 0;; ++taken) {
        if (!from.next()) return false;
        if (from.item().kind == cbor_kind::stop && taken % items_each == 0) return true;
        if (!skip(from, depth)) return false;
    }
}

/// What is made of more than one item.
bool skip_container(cbor_source& from, int depth) {
    const cbor_kind kind = from.item().kind;
    if (kind == cbor_kind::stop) return from.fail("expected a value");
    if (kind == cbor_kind::text_begin || kind == cbor_kind::bytes_begin)
        return from.read_chunks(kind == cbor_kind::text_begin ? cbor_kind::text : cbor_kind::bytes,
                                [](std::string_view) {});
    if (depth == max_cbor_depth) return from.fail("expected at most 64 levels");
    const bool map = kind == cbor_kind::map || kind == cbor_kind::map_begin;
    const bool definite = kind == cbor_kind::map || kind == cbor_kind::array;
    return definite ? skip_definite(from, depth + 1, map ? 2 : 1)
                    : skip_indefinite(from, depth + 1, map ? 2 : 1);
}

}  // namespace

bool skip_cbor(cbor_source& from, int depth) { return skip(from, depth); }

}  // namespace waybill
