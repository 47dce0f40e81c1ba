#include "big_endian.hpp"
#include "msgpack_format.hpp"

#include <bit>
#include <type_traits>

namespace waybill {
namespace {

using enum binary_kind;

/// The item of one front byte. Functions return the bytes that the item takes, or 0 when it is cut
/// short or malformed.
class head_reader {
public:
    head_reader(std::string_view rest, binary_item& item) noexcept : rest_(rest), item_(item) {}

    /// An item that is its first byte.
    std::size_t take(binary_kind kind, std::uint64_t number = 0) noexcept {
        item_.kind = kind;
        item_.number = number;
        return 1;
    }

    /// A kind with a `Number` behind the first byte.
    template <class Number>
    std::size_t take_number(binary_kind kind) noexcept {
        constexpr std::size_t size = 1 + sizeof(Number);
        if (rest_.size() < size) return fail(incomplete);
        item_.kind = kind;
        item_.number = load<Number>(1);
        return size;
    }

    template <class Number>
    std::size_t take_signed() noexcept {
        const auto value = static_cast<std::make_signed_t<Number>>(load<Number>(1));
        const std::size_t size =
            take_number<Number>(value < 0 ? negative_integer : unsigned_integer);
        if (value < 0) item_.number = ~static_cast<std::uint64_t>(std::int64_t{value});
        return size;
    }

    template <class Number, class Real>
    std::size_t take_real() noexcept {
        const std::size_t size = take_number<Number>(floating);
        item_.real = std::bit_cast<Real>(load<Number>(1));
        return size;
    }

    /// `size` bytes of content behind `head` bytes.
    std::size_t take_content(binary_kind kind, std::size_t head, std::size_t size) noexcept {
        if (rest_.size() < head + size) return fail(incomplete);
        item_.kind = kind;
        item_.content = {rest_.data() + head, size};
        return head + size;
    }

    /// A string whose length is a `Number`.
    template <class Number>
    std::size_t take_string(binary_kind kind) noexcept {
        return take_content(kind, 1 + sizeof(Number), load<Number>(1));
    }

    /// The type and `size` bytes behind `head` bytes.
    std::size_t take_extension(std::size_t head, std::size_t size) noexcept {
        item_.number = load<std::uint8_t>(head);
        return take_content(extension, head + 1, size);
    }

    std::size_t fail(binary_kind why) noexcept {
        item_.kind = why;
        return 0;
    }

    /// Big-endian, at most 9 bytes in: what lies behind the payload may be read.
    template <class Number>
    Number load(std::size_t at) const noexcept {
        return load_big<Number>(rest_.data() + at);
    }

private:
    std::string_view rest_;
    binary_item& item_;
};

/// The first bytes from C0 to DF, each of its own meaning.
std::size_t read_marked(std::uint8_t first, head_reader from) noexcept {
    switch (first) {
        case 0xc0:
            return from.take(null);
        case 0xc2:
        case 0xc3:
            return from.take(boolean, first & 1U);
        case 0xc4:
            return from.take_string<std::uint8_t>(bytes);
        case 0xc5:
            return from.take_string<std::uint16_t>(bytes);
        case 0xc6:
            return from.take_string<std::uint32_t>(bytes);
        case 0xc7:
            return from.take_extension(2, from.load<std::uint8_t>(1));
        case 0xc8:
            return from.take_extension(3, from.load<std::uint16_t>(1));
        case 0xc9:
            return from.take_extension(5, from.load<std::uint32_t>(1));
        case 0xca:
            return from.take_real<std::uint32_t, float>();
        case 0xcb:
            return from.take_real<std::uint64_t, double>();
        case 0xcc:
            return from.take_number<std::uint8_t>(unsigned_integer);
        case 0xcd:
            return from.take_number<std::uint16_t>(unsigned_integer);
        case 0xce:
            return from.take_number<std::uint32_t>(unsigned_integer);
        case 0xcf:
            return from.take_number<std::uint64_t>(unsigned_integer);
        case 0xd0:
            return from.take_signed<std::uint8_t>();
        case 0xd1:
            return from.take_signed<std::uint16_t>();
        case 0xd2:
            return from.take_signed<std::uint32_t>();
        case 0xd3:
            return from.take_signed<std::uint64_t>();
        case 0xd4:
        case 0xd5:
        case 0xd6:
        case 0xd7:
        case 0xd8:
            return from.take_extension(1, std::size_t{1} << (first - 0xd4));
        case 0xd9:
            return from.take_string<std::uint8_t>(text);
        case 0xda:
            return from.take_string<std::uint16_t>(text);
        case 0xdb:
            return from.take_string<std::uint32_t>(text);
        case 0xdc:
            return from.take_number<std::uint16_t>(array);
        case 0xdd:
            return from.take_number<std::uint32_t>(array);
        case 0xde:
            return from.take_number<std::uint16_t>(map);
        case 0xdf:
            return from.take_number<std::uint32_t>(map);
        default:
            return from.fail(malformed);  // C1 is never used
    }
}

}  // namespace

std::size_t msgpack_format::read_item(std::string_view rest, binary_item& item) noexcept {
    head_reader from{rest, item};
    if (rest.empty()) return from.fail(incomplete);
    const auto first = static_cast<std::uint8_t>(rest.front());
    if (first < 0x80) return from.take(unsigned_integer, first);
    if (first < 0x90) return from.take(map, first & 0xfU);
    if (first < 0xa0) return from.take(array, first & 0xfU);
    if (first < 0xc0) return from.take_content(text, 1, first & 0x1fU);
    if (first < 0xe0) return read_marked(first, from);
    return from.take(negative_integer, 0xffU - first);
}

}  // namespace waybill
