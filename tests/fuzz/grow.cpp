#include "grow.hpp"

#include "made_object.hpp"
#include "types.hpp"
#include "value_filler.hpp"

#include <algorithm>
#include <vector>

namespace fuzz {
namespace {

using bytes = std::vector<std::byte>;

/// Bytes that mean much to a reader: brackets, quotes, escapes, heads of every kind and size.
std::byte telling_byte(support::choices& from) {
    constexpr std::string_view all =
        "[]{}\",:\\u0e+-. \x18\x19\x1a\x1b\x1f\x38\x5f\x7f\x80\x9f\xbf\xc0\xc1\xc4\xc6\xc7\xd9\xdb"
        "\xdd\xdf\xf4\xf6\xf7\xf9\xfa\xfb\xff";
    return from.one_in(4) ? static_cast<std::byte>(from.number(1))
                          : static_cast<std::byte>(all[from.below(all.size())]);
}

void damage(bytes& payload, support::choices& from) {
    const std::size_t at = from.number(4) % (payload.size() + 1);
    const std::size_t size = std::min(1 + from.below(from.one_in(4) ? 64 : 4), payload.size() - at);
    const auto begin = payload.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(size);
    switch (from.below(6)) {
        case 0:  // cut short
            payload.erase(begin, payload.end());
            break;
        case 1:  // left out
            payload.erase(begin, end);
            break;
        case 2: {  // repeated
            const bytes piece{begin, end};
            const auto place = static_cast<std::ptrdiff_t>(from.number(4) % (payload.size() + 1));
            payload.insert(payload.begin() + place, piece.begin(), piece.end());
            break;
        }
        case 3:
            payload.insert(begin, telling_byte(from));
            break;
        default:
            if (size != 0) *begin = telling_byte(from);
    }
}

}  // namespace

std::size_t grow_payload(const waybill::codec_interface& codec, std::span<std::byte> input,
                         std::uint64_t seed) {
    support::choices from{seed};
    const std::size_t index = from.below(types().size());
    const waybill::value_type& type = *types()[index];
    waybill::arena borrowed;
    support::made_object object{type};
    support::value_filler{from, borrowed, support::content::writable, 60}.fill(type, object.get());
    waybill::byte_buffer out;
    // What cannot be written (an opaque type) leaves an empty payload.
    (void)codec.encode(type, object.get(), out);
    bytes payload{out.bytes().begin(), out.bytes().end()};
    for (std::size_t left = from.below(4); left != 0; --left) damage(payload, from);
    input[0] = static_cast<std::byte>(index);
    const std::size_t size = std::min(payload.size(), input.size() - 1);
    std::copy_n(payload.begin(), size, input.begin() + 1);
    return size + 1;
}

}  // namespace fuzz
