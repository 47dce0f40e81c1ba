#include "cbor_format.hpp"

namespace waybill {
namespace {

binary_item& of(void* context) noexcept { return *static_cast<binary_item*>(context); }

template <binary_kind Kind>
void simple(void* context) noexcept {
    of(context).kind = Kind;
}

template <binary_kind Kind, class Number>
void numbered(void* context, Number number) noexcept {
    of(context).kind = Kind;
    of(context).number = number;
}

template <binary_kind Kind>
void filled(void* context, cbor_data content, std::size_t size) noexcept {
    of(context).kind = Kind;
    of(context).content = {reinterpret_cast<const char*>(content), size};
}

template <class Real>
void real(void* context, Real value) noexcept {
    of(context).kind = binary_kind::floating;
    of(context).real = static_cast<double>(value);
}

}  // namespace

const cbor_callbacks cbor_item_callbacks = [] {
    using enum binary_kind;
    cbor_callbacks all{};
    all.uint8 = numbered<unsigned_integer, std::uint8_t>;
    all.uint16 = numbered<unsigned_integer, std::uint16_t>;
    all.uint32 = numbered<unsigned_integer, std::uint32_t>;
    all.uint64 = numbered<unsigned_integer, std::uint64_t>;
    all.negint8 = numbered<negative_integer, std::uint8_t>;
    all.negint16 = numbered<negative_integer, std::uint16_t>;
    all.negint32 = numbered<negative_integer, std::uint32_t>;
    all.negint64 = numbered<negative_integer, std::uint64_t>;
    all.byte_string = filled<bytes>;
    all.byte_string_start = simple<bytes_begin>;
    all.string = filled<text>;
    all.string_start = simple<text_begin>;
    all.array_start = numbered<array, std::size_t>;
    all.indef_array_start = simple<array_begin>;
    all.map_start = numbered<map, std::size_t>;
    all.indef_map_start = simple<map_begin>;
    all.tag = numbered<tag, std::uint64_t>;
    all.float2 = real<float>;
    all.float4 = real<float>;
    all.float8 = real<double>;
    all.boolean = numbered<boolean, bool>;
    all.null = simple<null>;
    all.undefined = simple<null>;
    all.indef_break = simple<stop>;
    return all;
}();

std::size_t read_unknown_cbor_item(std::string_view rest, cbor_decoder_status status,
                                   binary_item& item) noexcept {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0U;
    };
    if (byte(0) >= 0xc0 && byte(0) <= 0xd7) {
        item.kind = binary_kind::tag;
        item.number = byte(0) & 0x1f;
        return 1;
    }
    item.kind = binary_kind::unassigned;
    if (byte(0) >= 0xe0 && byte(0) <= 0xf3) return 1;
    if (byte(0) == 0xf8 && byte(1) >= 0x20) return 2;
    item.kind = status == CBOR_DECODER_NEDATA ? binary_kind::incomplete : binary_kind::malformed;
    return 0;
}

}  // namespace waybill
