#include "targets.hpp"

#include "check_decode.hpp"
#include "check_encode.hpp"
#include "check_fields.hpp"
#include "check_read.hpp"
#include "grow.hpp"
#include "types.hpp"
#include <waybill/codec.hpp>

#include <array>
#include <vector>

namespace fuzz {
namespace {

template <auto... Make>
std::span<const waybill::codec> made() {
    static const std::vector<waybill::codec> all{Make()...};
    return all;
}

waybill::codec json() { return waybill::codecs::json(); }
waybill::codec strict_json() { return waybill::codecs::json({.strict = true}); }
waybill::codec cbor() { return waybill::codecs::cbor(); }
waybill::codec sorted_cbor() { return waybill::codecs::cbor({.deterministic = true}); }

const waybill::value_type* type_in(std::span<const std::byte> input) {
    const auto index = input.empty() ? types().size() : std::to_integer<std::size_t>(input[0]);
    return index < types().size() ? types()[index] : nullptr;
}

template <auto... Make>
void decode(std::span<const std::byte> input) {
    const auto* const type = type_in(input);
    if (type == nullptr) return;
    for (const auto& codec : made<Make...>()) check_decode(*codec, *type, input.subspan(1));
}

template <auto... Make>
void encode(std::span<const std::byte> input) {
    const auto* const type = type_in(input);
    if (type == nullptr) return;
    for (const auto& codec : made<Make...>()) check_encode(*codec, *type, input.subspan(1));
}

template <auto... Make>
std::size_t grow(std::span<std::byte> input, std::uint64_t seed) {
    const auto codecs = made<Make...>();
    return grow_payload(*codecs[seed % codecs.size()], input, seed);
}

}  // namespace

std::span<const target> targets() {
    using waybill::codecs::msgpack;
    using waybill::codecs::raw;
    using waybill::codecs::text;
    static constexpr std::array all{
        target{"json_decode", decode<json, strict_json>, grow<json>},
        target{"json_encode", encode<json>, nullptr},
        target{"cbor_decode", decode<cbor>, grow<cbor, sorted_cbor>},
        target{"cbor_encode", encode<cbor, sorted_cbor>, nullptr},
        target{"msgpack_decode", decode<msgpack>, grow<msgpack>},
        target{"msgpack_encode", encode<msgpack>, nullptr},
        target{"plain_decode", decode<raw, text>, nullptr},
        target{"plain_encode", encode<raw, text>, nullptr},
        target{"scenario_read", check_read, nullptr},
        target{"field_tables", check_fields, nullptr},
    };
    return all;
}

}  // namespace fuzz
