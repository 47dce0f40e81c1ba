// Faults that users of MessagePack libraries reported: lengths, integers, truncation, depth.
#include "unit/codec/samples.hpp"

#include <doctest/doctest.h>

using namespace samples;

namespace {

std::string with_body(std::string_view head, std::size_t size, std::string_view byte) {
    return std::string{head} + repeated(size, byte);
}

/// Decodes into an object whose capacity can be looked at, also after a failure.
template <class T>
bool reads(T& into, std::string_view hex) {
    const auto bytes = from_hex(hex);
    waybill::byte_buffer payload;
    payload.append(bytes.data(), bytes.size());
    return read_into(into, waybill::codecs::msgpack(), payload.bytes()).has_value();
}

}  // namespace

TEST_CASE("B156: a deep payload is an error, read or skipped, and the next one is read") {
    const std::string deep = repeated(100000, "91") + "00";
    CHECK(!from_msgpack<std::vector<std::vector<int>>>(deep));
    CHECK(!from_msgpack<tree>(deep));
    CHECK(!from_msgpack<id_only>(deep));
    CHECK(error_of(from_msgpack<id_only>("82a2696407a178" + deep)).find("at most 64 levels") !=
          std::string::npos);
    const std::string inner = "82a576616c756501a86368696c6472656e91";
    CHECK(error_of(from_msgpack<tree>(repeated(50000, inner))).find("at most 64 levels") !=
          std::string::npos);
    CHECK(from_msgpack<id_only>("81a2696407") == id_only{7});

    tree root;
    tree* last = &root;
    for (int i = 0; i < 5000; ++i) last = &last->children.emplace_back();
    CHECK(to_msgpack(root).ends_with("the value is nested deeper than 64 levels"));
}

TEST_CASE("B171: bytes are bin, of 8, 16 and 32 bits") {
    using bytes = std::vector<std::byte>;
    CHECK(from_msgpack<bytes>("C4 03 DEAD00") == from_hex("DEAD00"));
    CHECK(to_msgpack(from_hex("DEAD00")) == "c403dead00");
    CHECK(to_msgpack(bytes(256, std::byte{7})) == with_body("c50100", 256, "07"));
    CHECK(to_msgpack(bytes(65536, std::byte{7})) == with_body("c600010000", 65536, "07"));
}

TEST_CASE("B172: long strings and bytes are whole, large unsigned numbers stay positive") {
    CHECK(from_msgpack<std::string>(with_body("DA 0100", 256, "61")) == std::string(256, 'a'));
    CHECK(from_msgpack<std::string>(with_body("DB 00010000", 65536, "61")) ==
          std::string(65536, 'a'));
    CHECK(from_msgpack<std::vector<std::byte>>(with_body("C5 012C", 300, "ee")) ==
          std::vector<std::byte>(300, std::byte{0xee}));
    CHECK(from_msgpack<std::uint64_t>("CF FFFFFFFFFFFFFFFF") == 18446744073709551615U);
    CHECK(
        error_of(from_msgpack<std::int64_t>("CF FFFFFFFFFFFFFFFF")) ==
        "payload, byte 0: expected a number that fits std::int64_t, found `18446744073709551615`");
}

TEST_CASE("B173: what is cut short or malformed is an error, read or skipped") {
    for (const std::string& hex :
         {with_body("DA 0100", 255, "61"), with_body("CF", 7, "00"), std::string{"82 A2 6964 07"},
          std::string{"C7 0C"}, std::string{"C1"}, std::string{"D9 02 C3 28"}}) {
        CAPTURE(hex);
        CHECK(!from_msgpack<std::string>(hex));
        CHECK(!from_msgpack<std::uint64_t>(hex));
        CHECK(!from_msgpack<id_only>(hex));
        CHECK(!from_msgpack<std::vector<std::byte>>(hex));
        CHECK(!from_msgpack<id_only>("82 A2 6964 07 A1 78" + hex));
    }
}

TEST_CASE("B174: lengths are unsigned, and none is believed before its bytes are there") {
    CHECK(from_msgpack<std::string>(with_body("DA 8000", 32768, "61")) == std::string(32768, 'a'));
    CHECK(from_msgpack<std::vector<std::byte>>(with_body("C5 FFFF", 65535, "07")) ==
          std::vector<std::byte>(65535, std::byte{7}));
    for (const auto* hex : {"DD 80000000", "DB 80000000 61", "C6 80000000 07", "DF 80000000"}) {
        CAPTURE(hex);
        std::vector<std::uint64_t> list;
        std::string text;
        std::vector<std::byte> bytes;
        std::vector<bool> flags;
        CHECK(!reads(list, hex));
        CHECK(!reads(text, hex));
        CHECK(!reads(bytes, hex));
        CHECK(!reads(flags, hex));
        CHECK(list.capacity() + text.capacity() + bytes.capacity() + flags.capacity() < 256);
    }
}
