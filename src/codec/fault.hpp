/// Builds the errors of codecs: a field path, a place, what was expected and what stood there.
///
/// Guarantee: the message has at most 200 bytes, is valid UTF-8 and quotes at most 32 bytes of the
/// payload.
#pragma once

#include <waybill/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace waybill {

/// One failure of one decode or encode. Readers call `fail` where it happens and the `in_...`
/// functions on the way out, innermost first. Off the good path, so nothing here is inline.
class fault {
public:
    /// `expected` is a phrase such as "expected an integer".
    void fail(std::size_t offset, std::string_view expected);

    /// The same, with what stands at the front of `rest` in its place.
    void fail(std::size_t offset, std::string_view expected, std::string_view rest);

    /// The failure is in this member, this element.
    void in_field(std::string_view name);
    void in_element(std::size_t index);
    /// The failure is under this key of a map, of which at most 8 bytes are shown, and only of the
    /// innermost one.
    void in_key(std::string_view key);

    /// The finished error. Offsets are told for `errc::decode` only.
    [[nodiscard]] error take(errc code);

private:
    void put_before(std::string outer);

    std::string path_;
    std::string what_;
    std::size_t offset_ = 0;
    bool shows_key_ = false;
};

/// At most `most` bytes of `payload` in quotes, with dots for what is not printable ASCII.
[[nodiscard]] std::string quoted(std::string_view payload, std::size_t most);

/// `text` with its end replaced by "..." so that it has at most `size` bytes and stays UTF-8.
[[nodiscard]] std::string shortened(std::string text, std::size_t size);

}  // namespace waybill
