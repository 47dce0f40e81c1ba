// Values of types that nobody chose, against nlohmann-json and msgpack-c: what is written they read
// as the same value, and what they write is read as the same value.
#include "made_object.hpp"
#include "random_type.hpp"
#include "same_value.hpp"
#include "seen_as_json.hpp"
#include "value_filler.hpp"
#include <waybill/codec.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#define MSGPACK_NO_BOOST
#include <msgpack.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace {

using nlohmann::json;
using waybill::value_type;

// --- msgpack-c

void pack(msgpack::sbuffer& out, const json& from) {
    msgpack::packer<msgpack::sbuffer> to{out};
    if (from.is_object()) {
        to.pack_map(static_cast<std::uint32_t>(from.size()));
        for (const auto& [key, value] : from.items()) {
            to.pack(key);
            pack(out, value);
        }
    } else if (from.is_array()) {
        to.pack_array(static_cast<std::uint32_t>(from.size()));
        for (const json& value : from) pack(out, value);
    } else if (from.is_binary()) {
        const auto& bytes = from.get_binary();
        const auto size = static_cast<std::uint32_t>(bytes.size());
        to.pack_bin(size).pack_bin_body(reinterpret_cast<const char*>(bytes.data()), size);
    } else if (from.is_string()) {
        to.pack(from.get_ref<const std::string&>());
    } else if (from.is_boolean()) {
        to.pack(from.get<bool>());
    } else if (from.is_number_unsigned()) {
        to.pack(from.get<std::uint64_t>());
    } else if (from.is_number_integer()) {
        to.pack(from.get<std::int64_t>());
    } else if (from == -0.0 && std::signbit(from.get<double>())) {
        out.write("\xcb\x80\0\0\0\0\0\0\0", 9);  // msgpack-c writes the integer 0 for it
    } else if (from.is_number_float()) {
        to.pack(from.get<double>());
    } else {
        to.pack_nil();
    }
}

json unpacked(const msgpack::object& from) {
    switch (from.type) {
        case msgpack::type::BOOLEAN:
            return from.via.boolean;
        case msgpack::type::POSITIVE_INTEGER:
            return from.via.u64;
        case msgpack::type::NEGATIVE_INTEGER:
            return from.via.i64;
        case msgpack::type::FLOAT32:
        case msgpack::type::FLOAT64:
            return from.via.f64;
        case msgpack::type::STR:
            return from.as<std::string>();
        case msgpack::type::BIN:
            return json::binary(from.as<std::vector<unsigned char>>());
        case msgpack::type::ARRAY: {
            json all = json::array();
            for (const auto& one : std::span{from.via.array.ptr, from.via.array.size})
                all.push_back(unpacked(one));
            return all;
        }
        case msgpack::type::MAP: {
            json all = json::object();
            for (const auto& one : std::span{from.via.map.ptr, from.via.map.size})
                all[one.key.as<std::string>()] = unpacked(one.val);
            return all;
        }
        default:
            return {};
    }
}

// --- the comparison

/// CBOR of definite lengths without its tags: nlohmann-json 3.11.2 does not know those below 6.
std::vector<std::uint8_t> without_tags(std::span<const std::uint8_t> cbor) {
    std::vector<std::uint8_t> all;
    for (std::size_t at = 0; at < cbor.size();) {
        const unsigned major = cbor[at] >> 5;
        const unsigned low = cbor[at] & 31;
        const std::size_t argument = low < 24 ? 0 : std::size_t{1} << (low - 24);
        std::uint64_t value = argument == 0 ? low : 0;
        for (std::size_t i = 0; i < argument && at + 1 + i < cbor.size(); ++i)
            value = value << 8 | cbor[at + 1 + i];
        const std::size_t size = 1 + argument + (major == 2 || major == 3 ? value : 0);
        const auto item = cbor.subspan(at, std::min(size, cbor.size() - at));
        if (major != 6) all.insert(all.end(), item.begin(), item.end());
        at += item.size();
    }
    return all;
}

/// Also in the sign of 0, and in whether a number may have a fraction.
bool identical(const json& one, const json& other) {
    return one == other && one.dump() == other.dump();
}

std::span<const std::uint8_t> as_numbers(const waybill::byte_buffer& bytes) {
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

/// One value, and how it went with each of the others.
class comparison {
public:
    comparison(const value_type& type, const void* object)
        : type_(type),
          object_(object),
          text_(support::seen_as_json(type, object, support::wire_form::text)),
          binary_(support::seen_as_json(type, object, support::wire_form::binary)) {}

    void run() {
        with_json();
        with_cbor(waybill::codecs::cbor());
        with_cbor(waybill::codecs::cbor({.deterministic = true}));
        with_msgpack();
    }

private:
    void with_json() {
        const auto codec = waybill::codecs::json();
        const auto bytes = written(codec);
        CHECK(json::parse(as_numbers(bytes), nullptr, false) == text_);
        check_reads(codec, text_.dump());
    }

    void with_cbor(const waybill::codec& codec) {
        const auto bytes = written(codec);
        CHECK(identical(json::from_cbor(without_tags(as_numbers(bytes)), true, false), binary_));
        check_reads(codec, json::to_cbor(binary_));
    }

    void with_msgpack() {
        const auto codec = waybill::codecs::msgpack();
        const auto bytes = written(codec);
        CHECK(identical(json::from_msgpack(as_numbers(bytes), true, false), binary_));
        check_reads(codec, json::to_msgpack(binary_));

        const auto handle =
            msgpack::unpack(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        CHECK(identical(unpacked(handle.get()), binary_));
        msgpack::sbuffer packed;
        pack(packed, binary_);
        check_reads(codec, std::string_view{packed.data(), packed.size()});
    }

    waybill::byte_buffer written(const waybill::codec& codec) {
        waybill::byte_buffer out;
        const auto done = codec->encode(type_, object_, out);
        INFO((done ? "" : done.error().message()));
        CHECK(done);
        return out;
    }

    template <class Bytes>
    void check_reads(const waybill::codec& codec, const Bytes& theirs) {
        waybill::byte_buffer payload;
        payload.append(theirs.data(), theirs.size());
        waybill::arena kept;
        support::made_object read{type_};
        const auto done = codec->decode(type_, read.get(), payload.bytes(), kept);
        INFO((done ? "decoded" : done.error().message()));
        CHECK(done);
        INFO(codec->name());
        INFO(text_.dump());
        CHECK(support::same_value(type_, object_, read.get()));
    }

    const value_type& type_;
    const void* object_;
    json text_;
    json binary_;
};

constexpr std::size_t type_count = 80;
constexpr std::size_t values_each = 1250;

template <std::size_t... Index>
std::array<const value_type*, sizeof...(Index)> described(std::index_sequence<Index...>) {
    return {
        &waybill::value_type_of<support::random_type<support::mixed(Index), 1 + Index % 3>>()...};
}

}  // namespace

TEST_CASE("100,000 values of random types are the same to nlohmann-json and msgpack-c") {
    const auto types = described(std::make_index_sequence<type_count>{});
    support::choices from{20260131};
    std::size_t values = 0;
    for (const value_type* const type : types) {
        CAPTURE(type->name);
        for (std::size_t i = 0; i < values_each; ++i, ++values) {
            CAPTURE(values);
            waybill::arena borrowed;
            support::made_object object{*type};
            support::value_filler{from, borrowed, support::content::writable, 40}.fill(
                *type, object.get());
            comparison{*type, object.get()}.run();
        }
    }
    const std::set<const value_type*> different{types.begin(), types.end()};
    MESSAGE(values << " values of " << different.size() << " types");
    CHECK(values == 100000);
    CHECK(different.size() >= 60);
}
