/// Pulls the items of one CBOR payload, and makes the errors that name a place in it.
#pragma once

#include "cbor_item.hpp"
#include "fault.hpp"
#include "utf8.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace waybill {

inline constexpr int max_cbor_depth = 64;

/// Functions that return a bool return false after a failure, of which `take_error` tells.
class cbor_source {
public:
    explicit cbor_source(std::span<const std::byte> payload) noexcept
        : base_(reinterpret_cast<const char*>(payload.data())),
          at_(base_),
          end_(base_ + payload.size()) {}

    /// Takes the next item that is no tag.
    bool next() {
        do {
            if (!next_of_any_kind()) [[unlikely]]
                return false;
        } while (item_.kind == cbor_kind::tag);
        return true;
    }

    /// The item taken last, and where it starts.
    [[nodiscard]] const cbor_item& item() const noexcept { return item_; }
    [[nodiscard]] const char* start() const noexcept { return start_; }

    /// Bytes behind the item.
    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

    /// Nothing is left behind the item.
    bool at_end();

    /// The chunks of a string of indefinite length, each of `kind`, to the stop.
    template <class Append>
    bool read_chunks(cbor_kind kind, const Append& append) {
        for (;;) {
            if (!next_of_any_kind()) return false;
            if (item_.kind == cbor_kind::stop) return true;
            if (item_.kind != kind) return fail("expected a chunk of the string");
            if (kind == cbor_kind::text && !is_utf8(item_.content)) return fail("expected UTF-8");
            append(item_.content);
        }
    }

    /// The failure is at the item.
    bool fail(std::string_view expected) { return fail_at(start_, expected); }
    /// The failure is at an item that was taken before.
    bool fail_at(const char* start, std::string_view expected);
    /// Without what stands there.
    bool fail_saying(const char* where, std::string_view what);

    /// The failure is in this member, this element.
    bool in_field(std::string_view name);
    bool in_element(std::size_t index);

    [[nodiscard]] error take_error() { return fault_->take(errc::decode); }

private:
    bool next_of_any_kind() {
        start_ = at_;
        const std::size_t size = read_cbor_item({at_, end_}, item_);
        at_ += size;
        return size != 0 || fail_item();
    }

    [[gnu::cold]] bool fail_item();

    const char* base_;
    const char* at_;
    const char* end_;
    const char* start_ = base_;
    cbor_item item_;
    std::unique_ptr<fault> fault_;  // made by the first failure
};

}  // namespace waybill
