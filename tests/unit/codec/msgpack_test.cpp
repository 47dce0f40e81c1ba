#include "codec/msgpack_format.hpp"
#include "samples.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace samples;
using namespace std::string_literals;

namespace samples {

struct number_sample {
    std::string_view hex;
    std::int64_t value;
};

/// Sixteen members: one more than a short map holds.
struct wide {
    bool a = false, b = false, c = false, d = false, e = false, f = false, g = false, h = false,
         i = false, j = false, k = false, l = false, m = false, n = false, o = false, p = false;
    bool operator==(const wide&) const = default;
};

struct holder {
    std::optional<std::string> text;
    std::optional<int> number;
    std::optional<double> real;
    std::optional<bool> yes;
    std::optional<state> kind;
    std::optional<std::vector<std::byte>> blob;
    std::optional<std::vector<int>> list;
    std::optional<std::vector<bool>> flags;
    std::optional<id_only> inner;
};

std::string hex_of(std::size_t size, std::string_view letter = "61") {
    return repeated(size, letter);
}

}  // namespace samples

TEST_CASE("msgpack: the codec says what it is") {
    CHECK(waybill::codecs::msgpack()->name() == "msgpack");
    CHECK(waybill::codecs::msgpack()->content_type() == "application/vnd.msgpack");
    CHECK(waybill::codecs::msgpack() == waybill::codecs::msgpack());
}

TEST_CASE("msgpack: integers are as short as they go") {
    for (const auto& [hex, value] :
         {number_sample{"00", 0},
          number_sample{"01", 1},
          number_sample{"7f", 127},
          number_sample{"cc80", 128},
          number_sample{"ccff", 255},
          number_sample{"cd0100", 256},
          number_sample{"cdffff", 65535},
          number_sample{"ce00010000", 65536},
          number_sample{"ceffffffff", 4294967295},
          number_sample{"cf0000000100000000", 4294967296},
          number_sample{"cf7fffffffffffffff", std::numeric_limits<std::int64_t>::max()},
          number_sample{"ff", -1},
          number_sample{"e0", -32},
          number_sample{"d0df", -33},
          number_sample{"d080", -128},
          number_sample{"d1ff7f", -129},
          number_sample{"d18000", -32768},
          number_sample{"d2ffff7fff", -32769},
          number_sample{"d280000000", -2147483648},
          number_sample{"d3ffffffff7fffffff", -2147483649},
          number_sample{"d38000000000000000", std::numeric_limits<std::int64_t>::min()}}) {
        CAPTURE(hex);
        CHECK(from_msgpack<std::int64_t>(hex) == value);
        CHECK(to_msgpack(value) == hex);
    }
    CHECK(from_msgpack<std::uint64_t>("cfffffffffffffffff") == 18446744073709551615U);
    CHECK(to_msgpack(std::uint64_t{18446744073709551615U}) == "cfffffffffffffffff");
}

TEST_CASE("msgpack: every first byte of an integer is its value") {
    for (int first = 0; first < 256; ++first) {
        const std::string hex = to_hex(std::vector{static_cast<std::byte>(first)});
        CAPTURE(hex);
        if (first < 0x80) {
            CHECK(from_msgpack<int>(hex) == first);
            CHECK(to_msgpack(first) == hex);
        } else if (first >= 0xe0) {
            CHECK(from_msgpack<int>(hex) == first - 256);
            CHECK(to_msgpack(first - 256) == hex);
        } else {
            CHECK(!from_msgpack<int>(hex));
        }
    }
}

TEST_CASE("msgpack: integers may be longer than they need be, and signed or not") {
    for (const auto* hex : {"07", "cc07", "cd0007", "ce00000007", "cf0000000000000007", "d007",
                            "d10007", "d200000007", "d30000000000000007"}) {
        CAPTURE(hex);
        CHECK(from_msgpack<std::uint8_t>(hex) == 7);
        CHECK(from_msgpack<std::int64_t>(hex) == 7);
    }
    for (const auto* hex : {"ff", "d0ff", "d1ffff", "d2ffffffff", "d3ffffffffffffffff"}) {
        CAPTURE(hex);
        CHECK(from_msgpack<std::int8_t>(hex) == -1);
        CHECK(!from_msgpack<std::uint64_t>(hex));
    }
    CHECK(from_msgpack<std::int8_t>("d080") == -128);
    CHECK(!from_msgpack<std::int8_t>("d1ff7f"));
    CHECK(!from_msgpack<std::int8_t>("cc80"));
    CHECK(!from_msgpack<std::uint8_t>("cd0100"));
    CHECK(!from_msgpack<int>("ca3f800000"));
}

TEST_CASE("msgpack: floats are as wide as their type, and read from any number") {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    CHECK(to_msgpack(1.5F) == "ca3fc00000");
    CHECK(to_msgpack(1.5) == "cb3ff8000000000000");
    CHECK(to_msgpack(0.1) == "cb3fb999999999999a");
    CHECK(to_msgpack(-0.0) == "cb8000000000000000");
    CHECK(to_msgpack(infinite) == "cb7ff0000000000000");
    CHECK(to_msgpack(-std::numeric_limits<double>::quiet_NaN()) == "cb7ff8000000000000");
    CHECK(to_msgpack(-std::numeric_limits<float>::quiet_NaN()) == "ca7fc00000");
    CHECK(from_msgpack<double>("ca3fc00000") == 1.5);
    CHECK(from_msgpack<double>("cb3fb999999999999a") == 0.1);
    CHECK(from_msgpack<float>("cb3ff8000000000000") == 1.5F);
    CHECK(from_msgpack<double>("64") == 100.0);
    CHECK(from_msgpack<double>("ff") == -1.0);
    CHECK(from_msgpack<double>("d38000000000000000") == -9223372036854775808.0);
    CHECK(from_msgpack<float>("cb7ff0000000000000") == std::numeric_limits<float>::infinity());
    CHECK(std::signbit(*from_msgpack<double>("cb8000000000000000")));
    CHECK(std::isnan(*from_msgpack<double>("cafFc00001")));
    CHECK(error_of(from_msgpack<float>("cb7e37e43c8800759c")) ==
          "payload, byte 0: expected a number that fits, found `1e+300`");
}

TEST_CASE("msgpack: nil, booleans and enums") {
    CHECK(from_msgpack<bool>("c3") == true);
    CHECK(from_msgpack<bool>("c2") == false);
    CHECK(to_msgpack(true) == "c3");
    CHECK(to_msgpack(false) == "c2");
    CHECK(!from_msgpack<bool>("c0"));
    CHECK(!from_msgpack<bool>("01"));
    CHECK(!from_msgpack<std::optional<int>>("c0").value().has_value());
    CHECK(to_msgpack(std::vector<std::optional<int>>{1, {}}) == "9201c0");
    CHECK(from_msgpack<std::vector<std::optional<int>>>("9201c0") ==
          std::vector<std::optional<int>>{1, {}});
    CHECK(from_msgpack<state>("a470616964") == state::paid);
    CHECK(to_msgpack(state::paid) == "a470616964");
    CHECK(error_of(from_msgpack<state>("a473687574")) ==
          "payload, byte 0: expected a name of state, found `shut`");
    CHECK(!from_msgpack<state>("07"));
}

TEST_CASE("msgpack: strings of every length class") {
    struct sample {
        std::size_t size;
        std::string_view head;
    };
    for (const auto& [size, head] : {sample{0, "a0"}, sample{1, "a1"}, sample{31, "bf"},
                                     sample{32, "d920"}, sample{255, "d9ff"}, sample{256, "da0100"},
                                     sample{65535, "daffff"}, sample{65536, "db00010000"}}) {
        CAPTURE(size);
        const std::string text(size, 'a');
        const std::string hex = std::string{head} + hex_of(size);
        CHECK(to_msgpack(text) == hex);
        CHECK(from_msgpack<std::string>(hex) == text);
    }
    for (const auto* hex : {"a161", "d90161", "da000161", "db0000000161"})
        CHECK(from_msgpack<std::string>(hex) == "a");
}

TEST_CASE("msgpack: bytes of every length class") {
    struct sample {
        std::size_t size;
        std::string_view head;
    };
    for (const auto& [size, head] : {sample{0, "c400"}, sample{255, "c4ff"}, sample{256, "c50100"},
                                     sample{65535, "c5ffff"}, sample{65536, "c600010000"}}) {
        CAPTURE(size);
        const std::vector<std::byte> bytes(size, std::byte{0xee});
        const std::string hex = std::string{head} + hex_of(size, "ee");
        CHECK(to_msgpack(bytes) == hex);
        CHECK(from_msgpack<std::vector<std::byte>>(hex) == bytes);
    }
    for (const auto* hex : {"c401ee", "c50001ee", "c600000001ee"})
        CHECK(from_msgpack<std::vector<std::byte>>(hex) == from_hex("ee"));
    CHECK(error_of(from_msgpack<std::vector<std::byte>>("a161")) ==
          "payload, byte 0: expected a byte string, found `a`");
    CHECK(error_of(from_msgpack<std::string>("c40161")) ==
          "payload, byte 0: expected a text string, found `bytes`");
}

TEST_CASE("msgpack: arrays of every length class") {
    struct sample {
        std::size_t size;
        std::string_view head;
    };
    for (const auto& [size, head] : {sample{0, "90"}, sample{15, "9f"}, sample{16, "dc0010"},
                                     sample{65535, "dcffff"}, sample{65536, "dd00010000"}}) {
        CAPTURE(size);
        const std::string hex = std::string{head} + hex_of(size, "07");
        CHECK(to_msgpack(std::vector<int>(size, 7)) == hex);
        CHECK(from_msgpack<std::vector<int>>(hex) == std::vector<int>(size, 7));
        const std::string bits = std::string{head} + hex_of(size, "c3");
        CHECK(to_msgpack(std::vector<bool>(size, true)) == bits);
        CHECK(from_msgpack<std::vector<bool>>(bits) == std::vector<bool>(size, true));
    }
    for (const auto* hex : {"9107", "dc000107", "dd0000000107"})
        CHECK(from_msgpack<std::vector<int>>(hex) == std::vector{7});
}

TEST_CASE("msgpack: maps of every length class") {
    for (const auto* hex : {"81a2696407", "de0001a2696407", "df00000001a2696407"})
        CHECK(from_msgpack<id_only>(hex)->id == 7);
    CHECK(to_msgpack(id_only{7}) == "81a2696407");
    CHECK(to_msgpack(nothing{}) == "80");
    CHECK(from_msgpack<nothing>("80"));
    CHECK(from_msgpack<nothing>("df00000000"));
    const wide all{.a = true, .p = true};
    CHECK(to_msgpack(all).starts_with("de0010a161c3a162c2"));
    CHECK(from_msgpack<wide>(to_msgpack(all)) == all);
    // Fifteen more members than the type has, and 65,536 more.
    CHECK(from_msgpack<id_only>("de0010a2696407" + hex_of(15, "a178c0"))->id == 7);
    CHECK(from_msgpack<id_only>("df00010001a2696407" + hex_of(65536, "a178c0"))->id == 7);
}

TEST_CASE("msgpack: what is written reads back the same") {
    CHECK(from_msgpack<order>(to_msgpack(full_order())) == full_order());
    CHECK(from_msgpack<order>(to_msgpack(order{})) == order{});
    CHECK(to_msgpack(line{"a", 5, {}}) == "82a3736b75a161a563656e747305");
    CHECK(to_msgpack(line{"a", 5, "b"}) == "83a3736b75a161a563656e747305a46e6f7465a162");
}

TEST_CASE("msgpack: an optional is left out, or nil where absent means something else") {
    order empty;
    empty.shelf.reset();
    CHECK(from_msgpack<order>(to_msgpack(empty)) == empty);
    CHECK(to_msgpack(empty).ends_with("a57368656c66c0"));
    CHECK(to_msgpack(empty).find("67696674") == std::string::npos);  // "gift"
}

TEST_CASE("msgpack: a payload that is cut short is an error at every byte") {
    const auto whole = from_hex(to_msgpack(full_order()));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CAPTURE(size);
        const auto cut = std::span{whole}.first(size);
        CHECK(!waybill::decode<order>(waybill::codecs::msgpack(), cut));
        std::vector<std::byte> unknown = from_hex("82a26964 07 a178");
        unknown.insert(unknown.end(), cut.begin(), cut.end());
        CHECK(!waybill::decode<id_only>(waybill::codecs::msgpack(), unknown));
    }
    CHECK(error_of(from_msgpack<id_only>("81a26964")) ==
          "id, byte 4: expected the rest of an item, but the payload ends");
    CHECK(error_of(from_msgpack<id_only>("")) ==
          "payload, byte 0: expected the rest of an item, but the payload ends");
    for (const auto* hex : {"cc",
                            "cd00",
                            "ce000000",
                            "cf00000000000000",
                            "d0",
                            "d100",
                            "d2000000",
                            "d300000000000000",
                            "ca000000",
                            "cb00000000000000",
                            "a2 61",
                            "d9",
                            "d901",
                            "da",
                            "da00",
                            "da000161 ff",
                            "db000000",
                            "c4",
                            "c401",
                            "c500",
                            "c50001",
                            "c6000000",
                            "c600000001",
                            "c7",
                            "c700",
                            "c70105",
                            "c80001",
                            "c8000105",
                            "c900000001",
                            "c90000000105",
                            "d4",
                            "d405",
                            "d50501",
                            "d605010203",
                            "d70501020304050607",
                            "d8050102030405060708090a0b0c0d0e0f",
                            "dc",
                            "dc00",
                            "dd000000",
                            "de00",
                            "df000000"}) {
        CAPTURE(hex);
        const std::string message = error_of(from_msgpack<int>(hex));
        const bool whole_string = std::string_view{hex} == "da000161 ff";
        CHECK(message.ends_with(whole_string
                                    ? "expected an integer, found `a`"
                                    : "expected the rest of an item, but the payload ends"));
    }
}

TEST_CASE("msgpack: unknown fields are skipped, whatever they hold") {
    for (const std::string& hex : {"07"s,
                                   "ff"s,
                                   "cc80"s,
                                   "cd0100"s,
                                   "ce00010000"s,
                                   "cf0000000100000000"s,
                                   "d080"s,
                                   "d18000"s,
                                   "d280000000"s,
                                   "d38000000000000000"s,
                                   "c0"s,
                                   "c2"s,
                                   "c3"s,
                                   "ca3fc00000"s,
                                   "cb3fb999999999999a"s,
                                   "a0"s,
                                   "a161"s,
                                   "d90161"s,
                                   "da000161"s,
                                   "db0000000161"s,
                                   "a4f0908591"s,
                                   "c400"s,
                                   "c402ffff"s,
                                   "c50002ffff"s,
                                   "c600000002ffff"s,
                                   "90"s,
                                   "93010203"s,
                                   "dc0002a16180"s,
                                   "dd00000001c0"s,
                                   "80"s,
                                   "82a16101a1629203a163"s,
                                   "8101 02"s,
                                   "81c0 90"s,
                                   "de0001a161c0"s,
                                   "df00000001a161c0"s,
                                   "d4ff01"s,
                                   "d5000102"s,
                                   "d6ff01020304"s,
                                   "d7050102030405060708"s,
                                   "d805" + hex_of(16, "ee"),
                                   "c70005"s,
                                   "c702050102"s,
                                   "c8000205 0102"s,
                                   "c900000002 05 0102"s,
                                   "92d4ff01c70005"s}) {
        CAPTURE(hex);
        CHECK(error_of(from_msgpack<id_only>("82a178" + hex + "a2696407")) == "decoded");
        CHECK(error_of(from_msgpack<id_only>("82a2696407a178" + hex)) == "decoded");
    }
    for (const auto* hex : {"c1", "91c1", "81c100", "a2c328", "91a2c328", "81a2c32801", "d902c328",
                            "da0002c328", "db00000002c328"}) {
        CAPTURE(hex);
        CHECK(!from_msgpack<id_only>(std::string{"82a178"} + hex + "a2696407"));
        CHECK(!from_msgpack<id_only>(std::string{"82a2696407a178"} + hex));
    }
    CHECK(!from_msgpack<id_only>("82a2c32801a2696407"));  // an unknown key
}

TEST_CASE("msgpack: C1 is no value") {
    CHECK(error_of(from_msgpack<int>("c1")) == "payload, byte 0: expected an item, found `0xc1`");
    CHECK(error_of(from_msgpack<std::vector<int>>("9207c1")) ==
          "[1], byte 2: expected an item, found `0xc1`");
}

TEST_CASE("msgpack: an extension is refused where it is read") {
    CHECK(error_of(from_msgpack<id_only>("81a26964d6ff00000001")) ==
          "id, byte 4: expected an integer, found `extension -1`");
    CHECK(error_of(from_msgpack<std::string>("c7020561 62")) ==
          "payload, byte 0: expected a text string, found `extension 5`");
    CHECK(error_of(from_msgpack<id_only>("81d40501 07")) ==
          "payload, byte 1: expected a text key, found `extension 5`");
    for (const auto* field :
         {"a474657874", "a66e756d626572", "a47265616c", "a3796573", "a46b696e64", "a4626c6f62",
          "a46c697374", "a5666c616773", "a5696e6e6572"}) {
        CAPTURE(field);
        const std::string message =
            error_of(from_msgpack<holder>(std::string{"81"} + field + "d40700"));
        CHECK(message.ends_with(", found `extension 7`"));
        CHECK(from_msgpack<holder>(std::string{"81"} + field + "c0"));
    }
}

TEST_CASE("msgpack: keys are text, anything else is a clean error") {
    CHECK(error_of(from_msgpack<id_only>("81c4026964 07")) ==
          "payload, byte 1: expected a text key, found `bytes`");
    CHECK(!from_msgpack<id_only>("810107"));
    CHECK(!from_msgpack<id_only>("81c007"));
}

TEST_CASE("msgpack: text that is not UTF-8 is refused both ways") {
    CHECK(error_of(from_msgpack<std::string>("a2c328"))
              .starts_with("payload, byte 0: expected UTF-8, found `"));
    CHECK(!from_msgpack<std::string>("a3eda080"));
    CHECK(!from_msgpack<std::string>("d902c328"));
    CHECK(to_msgpack(std::string{"\xC3\x28"}) == "payload: a string is not UTF-8");
    CHECK(to_msgpack(line{"\xff", 1, {}}) == "sku: a string is not UTF-8");
}

TEST_CASE("msgpack: lengths that lie cost nothing") {
    for (const auto* hex : {"dd80000000", "ddffffffff", "df80000000", "dfffffffff", "c6ffffffff",
                            "dbffffffff", "c9ffffffff05", "dcffff", "deffff", "9f", "8f"}) {
        CAPTURE(hex);
        CHECK(!from_msgpack<std::vector<int>>(hex));
        CHECK(!from_msgpack<std::vector<std::byte>>(hex));
        CHECK(!from_msgpack<std::string>(hex));
        CHECK(!from_msgpack<id_only>(hex));
        CHECK(!from_msgpack<id_only>(std::string{"82a2696407a178"} + hex));
        CHECK(!from_msgpack<id_only>(std::string{"82a2696407a17893"} + hex));
    }
    std::vector<std::string> list;
    const auto payload = from_hex("ddfffffff0" + hex_of(20, "a161"));
    waybill::byte_buffer padded;
    padded.append(payload.data(), payload.size());
    CHECK(!read_into(list, waybill::codecs::msgpack(), padded.bytes()));
    CHECK(list.capacity() <= 32);
}

TEST_CASE("msgpack: nesting ends at 64 levels, read, skipped or written") {
    const std::string head = "82a2696407a178";
    CHECK(from_msgpack<id_only>(head + repeated(63, "91") + "00"));
    CHECK(error_of(from_msgpack<id_only>(head + repeated(64, "91") + "00")) ==
          "payload, byte 70: expected at most 64 levels, found `array`");
    CHECK(!from_msgpack<id_only>(head + repeated(100000, "81a161") + "00"));
    const std::string inner = "82a576616c756501a86368696c6472656e91";
    const std::string leaf = "82a576616c756501a86368696c6472656e90";
    CHECK(from_msgpack<tree>(repeated(31, inner) + leaf));
    CHECK(!from_msgpack<tree>(repeated(32, inner) + leaf));
    tree root;
    tree* last = &root;
    for (int i = 0; i < 31; ++i) last = &last->children.emplace_back();
    CHECK(from_msgpack<tree>(to_msgpack(root)) == root);
    last->children.emplace_back();
    CHECK(to_msgpack(root).ends_with("the value is nested deeper than 64 levels"));
}

TEST_CASE("msgpack: every error of an object") {
    CHECK(error_of(from_msgpack<id_only>("81a269640700")) ==
          "payload, byte 5: expected nothing behind the value, found `0`");
    CHECK(error_of(from_msgpack<id_only>("82a2696407a2696407")) ==
          "id, byte 5: field comes twice, found `id`");
    CHECK(error_of(from_msgpack<id_only>("80")) == "payload, byte 0: missing field \"id\"");
    CHECK(error_of(from_msgpack<id_only>("81a26964a178")) ==
          "id, byte 4: expected an integer, found `x`");
    CHECK(error_of(from_msgpack<id_only>("9107")) ==
          "payload, byte 0: expected a map, found `array`");
    CHECK(error_of(from_msgpack<std::vector<line>>("9282a3736b75a161a563656e74730182a3736b7505")) ==
          "[1].sku, byte 20: expected a text string, found `5`");
    CHECK(error_of(from_msgpack<numbers>("81a27538cd0100")) ==
          "u8, byte 4: expected a number that fits std::uint8_t, found `256`");
}

TEST_CASE("msgpack: a length that MessagePack cannot say is an error") {
    // Nobody has such a vector at hand, so the hooks pretend; they are not asked for an element.
    static waybill::sequence_hooks hooks;
    static std::size_t size = 0;
    hooks.size = [](const void*) noexcept { return size; };
    hooks.data = [](void*) noexcept -> void* { return nullptr; };
    waybill::value_type endless = waybill::value_type_of<std::vector<int>>();
    endless.sequence = &hooks;
    size = std::size_t{1} << 32;
    const std::vector<int> none;
    waybill::byte_buffer out;
    out.append("before");
    const auto failed = waybill::codecs::msgpack()->encode(endless, &none, out);
    REQUIRE(!failed);
    CHECK(failed.error().message() == "payload: a length is above 4294967295");
    CHECK(out.size() == 6);
}

TEST_CASE("msgpack: the heads of the longest lengths") {
    std::vector<std::byte> room(waybill::msgpack_format::head_size);
    const auto head = [&](auto put, std::uint64_t size) {
        const std::byte* end = put(room.data(), size);
        return to_hex(std::span{room.data(), static_cast<std::size_t>(end - room.data())});
    };
    CHECK(head(waybill::msgpack_format::put_text, 4294967295) == "dbffffffff");
    CHECK(head(waybill::msgpack_format::put_bytes, 4294967295) == "c6ffffffff");
    CHECK(head(waybill::msgpack_format::put_array, 4294967295) == "ddffffffff");
    CHECK(head(waybill::msgpack_format::put_map, 15) == "8f");
    CHECK(head(waybill::msgpack_format::put_map, 65535) == "deffff");
    CHECK(head(waybill::msgpack_format::put_map, 65536) == "df00010000");
    CHECK(head(waybill::msgpack_format::put_map, 4294967295) == "dfffffffff");
}
