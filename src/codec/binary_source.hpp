/// Pulls the items of one payload, and makes the errors that name a place in it.
///
/// A `Format` is a struct of static functions: `read_item(rest, item)` reads the item at the front
/// of `rest` and returns the bytes it takes, the content of a definite string included; or 0, with
/// `incomplete` or `malformed` as the kind. `binary_writer.hpp` says what else it has.
#pragma once

#include "binary_item.hpp"
#include "fault.hpp"
#include "utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace waybill {

inline constexpr int max_binary_depth = 64;

/// Functions that return a bool return false after a failure, of which `take_error` tells.
template <class Format>
class binary_source {
public:
    explicit binary_source(std::span<const std::byte> payload) noexcept
        : base_(reinterpret_cast<const char*>(payload.data())),
          at_(base_),
          end_(base_ + payload.size()) {}

    /// Takes the next item that is no tag.
    bool next() {
        if (!next_or_tag()) [[unlikely]]
            return false;
        return item_.kind != binary_kind::tag || next_behind_tags();
    }

    /// Takes the next item.
    bool next_or_tag() {
        start_ = at_;
        const std::size_t size = Format::read_item({at_, end_}, item_);
        at_ += size;
        return size != 0 || fail_item();
    }

    /// Passes over values of one item, counting `left` down, and takes the first item that has more
    /// behind it; takes none when `left` comes to 0 before.
    bool pass_plain(std::uint64_t& left) {
        const char* at = at_;
        for (const char* const end = end_; left != 0; --left) {
            const std::size_t size = Format::read_item({at, end}, item_);
            const bool text = item_.kind == binary_kind::text;
            if (!(text ? is_utf8(item_.content) : is_plain(item_.kind))) [[unlikely]] {
                start_ = at;
                at_ = at + size;
                return text ? fail("expected UTF-8") : size != 0 || fail_item();
            }
            at += size;
        }
        at_ = at;
        return true;
    }

    /// The item taken last, and where it starts.
    [[nodiscard]] const binary_item& item() const noexcept { return item_; }
    [[nodiscard]] const char* start() const noexcept { return start_; }

    /// Bytes behind the item.
    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

    /// Whether the item's elements or pairs can all be there: each takes a byte, so that a count
    /// can be seen to lie.
    bool can_hold(std::uint64_t count) {
        return count <= left() || fail("expected as many items as announced");
    }

    /// Nothing is left behind the item.
    bool at_end() { return at_ == end_ || fail_at(at_, "expected nothing behind the value"); }

    /// The chunks of a string of indefinite length, each of `kind`, to the stop.
    template <class Append>
    bool read_chunks(binary_kind kind, const Append& append) {
        for (;;) {
            if (!next_or_tag()) return false;
            if (item_.kind == binary_kind::stop) return true;
            if (item_.kind != kind) return fail("expected a chunk of the string");
            if (kind == binary_kind::text && !is_utf8(item_.content)) return fail("expected UTF-8");
            append(item_.content);
        }
    }

    /// The failure is at the item.
    [[gnu::cold, gnu::noinline]] bool fail(std::string_view expected) {
        return fail_at(start_, expected);
    }

    bool fail_depth() { return fail("expected at most 64 levels"); }

    /// The failure is at an item that was taken before.
    [[gnu::cold, gnu::noinline]] bool fail_at(const char* start, std::string_view expected) {
        const std::string_view rest{start, end_};
        binary_item item;
        Format::read_item(rest, item);
        fault_ = std::make_unique<fault>();
        fault_->fail(static_cast<std::size_t>(start - base_), expected, shown(item, rest));
        return false;
    }

    /// Without what stands there.
    [[gnu::cold, gnu::noinline]] bool fail_saying(const char* where, std::string_view what) {
        fault_ = std::make_unique<fault>();
        fault_->fail(static_cast<std::size_t>(where - base_), what);
        return false;
    }

    /// The failure is in this member, this element, under this key.
    [[gnu::cold, gnu::noinline]] bool in_field(std::string_view name) {
        fault_->in_field(name);
        return false;
    }
    [[gnu::cold, gnu::noinline]] bool in_element(std::size_t index) {
        fault_->in_element(index);
        return false;
    }

    [[gnu::cold, gnu::noinline]] bool in_key(std::string_view key) {
        fault_->in_key(key);
        return false;
    }

    [[nodiscard]] error take_error() { return fault_->take(errc::decode); }

private:
    /// Not a loop in `next`, which callers' loops hold.
    [[gnu::noinline]] bool next_behind_tags() {
        while (item_.kind == binary_kind::tag)
            if (!next_or_tag()) return false;
        return item_.kind != binary_kind::stop || fail("expected a value");
    }

    [[gnu::cold, gnu::noinline]] bool fail_item() {
        if (item_.kind == binary_kind::incomplete)
            return fail_at(end_, "expected the rest of an item");
        return fail("expected an item");
    }

    const char* base_;
    const char* at_;
    const char* end_;
    const char* start_ = base_;
    binary_item item_;
    std::unique_ptr<fault> fault_;  // made by the first failure
};

}  // namespace waybill
