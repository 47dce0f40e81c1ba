#include "samples.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <limits>

using namespace samples;

namespace samples {

struct id_and_name {
    std::uint64_t id = 0;
    std::string n;
    bool operator==(const id_and_name&) const = default;
};

struct flagged {
    std::vector<bool> flags;
    std::vector<flagged> children;
};

}  // namespace samples

TEST_CASE("cbor: integers of RFC 8949 appendix A") {
    struct sample {
        std::string_view hex;
        std::int64_t value;
    };
    for (const auto& [hex, value] :
         {sample{"00", 0}, sample{"01", 1}, sample{"0a", 10}, sample{"17", 23}, sample{"1818", 24},
          sample{"1819", 25}, sample{"1864", 100}, sample{"1903e8", 1000},
          sample{"1a000f4240", 1000000}, sample{"1b000000e8d4a51000", 1000000000000},
          sample{"20", -1}, sample{"29", -10}, sample{"3863", -100}, sample{"3903e7", -1000}}) {
        CAPTURE(hex);
        CHECK(from_cbor<std::int64_t>(hex) == value);
        CHECK(to_cbor(value) == hex);
    }
    CHECK(from_cbor<std::uint64_t>("1bffffffffffffffff") == 18446744073709551615U);
    CHECK(to_cbor(std::uint64_t{18446744073709551615U}) == "1bffffffffffffffff");
    CHECK(from_cbor<std::int64_t>("3b7fffffffffffffff") ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(!from_cbor<std::int64_t>("3b8000000000000000"));
    CHECK(!from_cbor<std::int64_t>("3bffffffffffffffff"));
    CHECK(!from_cbor<std::int64_t>("1bffffffffffffffff"));
    CHECK(from_cbor<int>("1b0000000000000007") == 7);  // longer than it need be
    CHECK(!from_cbor<std::uint8_t>("20"));
    CHECK(!from_cbor<std::uint8_t>("190100"));
    CHECK(from_cbor<std::int8_t>("387f") == -128);
    CHECK(!from_cbor<std::int8_t>("3880"));
    CHECK(!from_cbor<int>("f93c00"));
}

TEST_CASE("cbor: floats of RFC 8949 appendix A") {
    struct sample {
        std::string_view hex;
        double value;
    };
    for (const auto& [hex, value] :
         {sample{"f90000", 0.0}, sample{"f93c00", 1.0}, sample{"f93e00", 1.5},
          sample{"f97bff", 65504.0}, sample{"fb3ff199999999999a", 1.1},
          sample{"fa47c35000", 100000.0}, sample{"fa7f7fffff", 3.4028234663852886e+38},
          sample{"fb7e37e43c8800759c", 1.0e+300}, sample{"f90001", 5.960464477539063e-8},
          sample{"f90400", 0.00006103515625}, sample{"f9c400", -4.0},
          sample{"fbc010666666666666", -4.1}, sample{"f98001", -5.960464477539063e-08},
          sample{"f903ff", 6.097555160522461e-05}, sample{"18 64", 100.0}, sample{"20", -1.0}}) {
        CAPTURE(hex);
        CHECK(from_cbor<double>(hex) == value);  // B152 among them
    }
    CHECK(!from_cbor<float>("fb7e37e43c8800759c"));
    // Integers are rounded once, to the type that is read.
    CHECK(from_cbor<float>("1b8000008000000001") == 0x1.000002p63F);
    CHECK(from_cbor<float>("3b8000008000000000") == -0x1.000002p63F);
    CHECK(from_cbor<double>("3bffffffffffffffff") == -0x1p64);
    CHECK(from_cbor<float>("3bfffffffffffffffe") == -0x1p64F);
}

TEST_CASE("cbor: NaN, infinity and negative zero (B153)") {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    for (const auto* hex : {"f97e00", "f9fe00", "fa7fc00000", "fb7ff8000000000000"})
        CHECK(std::isnan(*from_cbor<double>(hex)));
    CHECK(from_cbor<double>("f97c00") == infinite);
    CHECK(from_cbor<double>("f9fc00") == -infinite);
    CHECK(from_cbor<float>("fb7ff0000000000000") == std::numeric_limits<float>::infinity());
    CHECK(std::signbit(*from_cbor<double>("f98000")));
    CHECK(to_cbor(std::numeric_limits<double>::quiet_NaN()) == "fb7ff8000000000000");
    CHECK(to_cbor(-std::numeric_limits<double>::quiet_NaN()) == "fb7ff8000000000000");
    CHECK(to_cbor(infinite) == "fb7ff0000000000000");
    CHECK(to_cbor(-0.0) == "fb8000000000000000");
    CHECK(to_cbor(1.5F) == "fa3fc00000");
}

TEST_CASE("cbor: simple values, strings, arrays and maps of appendix A") {
    CHECK(from_cbor<bool>("f5") == true);
    CHECK(to_cbor(false) == "f4");
    CHECK(!from_cbor<std::optional<int>>("f6").value().has_value());
    CHECK(!from_cbor<std::optional<int>>("f7").value().has_value());
    CHECK(!from_cbor<bool>("f0"));
    CHECK(!from_cbor<bool>("f818"));
    CHECK(from_cbor<std::string>("60") == "");
    CHECK(from_cbor<std::string>("6449455446") == "IETF");
    CHECK(from_cbor<std::string>("62225c") == "\"\\");
    CHECK(from_cbor<std::string>("64f0908591") == "\U00010151");
    CHECK(from_cbor<std::string>("7f657374726561646d696e67ff") == "streaming");
    CHECK(from_cbor<std::vector<std::byte>>("5f42010243030405ff") == from_hex("0102030405"));
    CHECK(from_cbor<std::vector<std::byte>>("4401020304") == from_hex("01020304"));
    CHECK(from_cbor<std::vector<int>>("80")->empty());
    CHECK(from_cbor<std::vector<int>>("9fff")->empty());
    CHECK(from_cbor<std::vector<int>>("83010203") == std::vector{1, 2, 3});
    CHECK(from_cbor<std::vector<int>>("9f010203ff") == std::vector{1, 2, 3});
    std::vector<int> counted;
    for (int i = 1; i <= 25; ++i) counted.push_back(i);
    const auto* all = "98190102030405060708090a0b0c0d0e0f101112131415161718181819";
    CHECK(from_cbor<std::vector<int>>(all) == counted);
    CHECK(to_cbor(counted) == all);
    CHECK(from_cbor<nothing>("a0"));
    CHECK(from_cbor<nothing>("bfff"));
}

TEST_CASE("cbor: chunks are joined once (B149)") {
    CHECK(from_cbor<std::string>("7F 63 6F7264 62 6572 FF") == "order");
    CHECK(from_cbor<std::string>("7FFF") == "");
    CHECK(!from_cbor<std::string>("7F 41 6F FF"));
    CHECK(!from_cbor<std::string>("7F 7F 61 6F FF FF"));
    CHECK(!from_cbor<std::string>("7F 61 6F"));
    CHECK(from_cbor<id_only>("A1 7F 61 69 61 64 FF 07")->id == 7);
}

TEST_CASE("cbor: keys are text, anything else is a clean error (B150)") {
    CHECK(error_of(from_cbor<id_only>("A1 42 6964 07")) ==
          "payload, byte 1: expected a text key, found `0x42`");
    CHECK(!from_cbor<id_only>("A1 01 07"));
}

TEST_CASE("cbor: tags are passed over (B151)") {
    CHECK(from_cbor<id_only>("D9D9F7 A1 62 6964 07")->id == 7);
    CHECK(from_cbor<id_only>("A1 62 6964 D8 2A 07")->id == 7);
    CHECK(from_cbor<id_only>("A1 D8 2A 62 6964 C1 C2 07")->id == 7);
    CHECK(from_cbor<id_only>("A2 61 78 82 C1 01 D8 2A 80 62 6964 07")->id == 7);
    CHECK(!from_cbor<id_only>(repeated(100000, "C1")));
}

TEST_CASE("cbor: lengths that lie cost nothing (B154)") {
    for (const auto* hex : {"9B 0000000100000000", "BB 0000000100000000", "5B 7FFFFFFFFFFFFFFF",
                            "7A FFFFFFFF", "9B FFFFFFFFFFFFFFFF", "BB FFFFFFFFFFFFFFFF",
                            "5B FFFFFFFFFFFFFFFF", "7B FFFFFFFFFFFFFFFF"}) {
        CAPTURE(hex);
        const auto began = std::chrono::steady_clock::now();
        CHECK(!from_cbor<std::vector<int>>(hex));
        CHECK(!from_cbor<std::vector<std::byte>>(hex));
        CHECK(!from_cbor<std::string>(hex));
        CHECK(!from_cbor<id_only>(hex));
        CHECK(!from_cbor<id_only>(std::string{"A2 62 6964 07 61 78"} + hex));
        CHECK(!from_cbor<id_only>(std::string{"A2 62 6964 07 61 78 9F"} + hex));
        CHECK(std::chrono::steady_clock::now() - began < std::chrono::milliseconds{100});
    }
}

TEST_CASE("cbor: no count is taken for an indefinite length") {
    CHECK(error_of(from_cbor<std::vector<int>>("9B FFFFFFFFFFFFFFFF 01 FF")) ==
          "payload, byte 0: expected as many items as announced, found `0x9b`");
    CHECK(!from_cbor<id_only>("BB FFFFFFFFFFFFFFFF 62 6964 07 FF"));
    CHECK(!from_cbor<std::vector<int>>("83 0102"));
}

TEST_CASE("cbor: maps of indefinite length (B155)") {
    const auto read = from_cbor<id_and_name>("BF 62 6964 07 61 6E 63 626F62 FF");
    REQUIRE(read);
    CHECK(*read == id_and_name{7, "bob"});
    CHECK(!from_cbor<id_only>("BF 62 6964 FF"));
    CHECK(!from_cbor<id_only>("BF 62 6964 07"));
}

TEST_CASE("cbor: nesting ends at 64 levels, read or skipped (B156)") {
    CHECK(!from_cbor<id_only>(repeated(100000, "81") + "00"));
    const std::string head = "A2 62 6964 07 61 78";
    CHECK(from_cbor<id_only>(head + repeated(63, "81") + "00"));
    CHECK(!from_cbor<id_only>(head + repeated(64, "81") + "00"));
    CHECK(!from_cbor<id_only>(head + repeated(100000, "81") + "00"));
    CHECK(!from_cbor<id_only>(head + repeated(100000, "9f") + "00"));
    CHECK(!from_cbor<id_only>(head + repeated(100000, "A16161") + "00"));
    const std::string inner = "A2 65 76616C7565 01 68 6368696C6472656E 81";
    const std::string leaf = "A2 65 76616C7565 01 68 6368696C6472656E 80";
    CHECK(from_cbor<tree>(repeated(31, inner) + leaf));
    CHECK(!from_cbor<tree>(repeated(32, inner) + leaf));
    CHECK(!from_cbor<tree>(repeated(50000, inner) + leaf));
    tree root;
    tree* last = &root;
    for (int i = 0; i < 40; ++i) last = &last->children.emplace_back();
    CHECK(to_cbor(root).ends_with("the value is nested deeper than 64 levels"));
    flagged outmost;
    flagged* inmost = &outmost;
    for (int i = 0; i < 31; ++i) inmost = &inmost->children.emplace_back();
    CHECK(from_cbor<flagged>(to_cbor(outmost)));
    CHECK(to_cbor(std::vector{outmost})
              .ends_with("].flags: the value is nested deeper than 64 levels"));
}

TEST_CASE("cbor: unknown fields are skipped, whatever they hold") {
    for (const auto* hex : {"01",
                            "1818",
                            "190100",
                            "1a00010000",
                            "1b0000000100000000",
                            "20",
                            "3863",
                            "4401020304",
                            "6449455446",
                            "5f42010243030405ff",
                            "7f657374726561646d696e67ff",
                            "80",
                            "83010203",
                            "9f018202039f0405ffff",
                            "a201020304",
                            "a26161016162820203",
                            "bf61610161629f0203ffff",
                            "f4",
                            "f6",
                            "f7",
                            "f93c00",
                            "fa47c35000",
                            "fb3ff199999999999a",
                            "c074323031332d30332d32315432303a30343a30305a",
                            "a1820102a0",
                            "781e616161616161616161616161616161616161616161616161616161616161",
                            "64f0908591",
                            "8164f0908591"}) {
        CAPTURE(hex);
        CHECK(error_of(from_cbor<id_only>(std::string{"A2 61 78"} + hex + "62 6964 07")) ==
              "decoded");
        CHECK(error_of(from_cbor<id_only>(std::string{"A2 62 6964 07 61 78"} + hex)) == "decoded");
    }
    for (const auto* hex : {"ff", "1c", "1d", "1e", "1f", "3f", "df", "fc", "9f", "bf01ff",
                            "62c328", "8162c328", "8362616162c3286163", "5f01ff", "1b00000001"}) {
        CAPTURE(hex);
        CHECK(!from_cbor<id_only>(std::string{"A2 62 6964 07 61 78"} + hex));
    }
}

TEST_CASE("cbor: what is written reads back the same") {
    CHECK(from_cbor<order>(to_cbor(full_order())) == full_order());
    CHECK(from_cbor<order>(to_cbor(order{})) == order{});
    CHECK(to_cbor(line{"a", 5, {}}) == "a263736b7561616563656e747305");
    CHECK(to_cbor(std::string(24, 'a')) == "7818" + repeated(24, "61"));
    CHECK(to_cbor(std::string(256, 'a')) == "790100" + repeated(256, "61"));
    CHECK(to_cbor(std::vector<std::optional<int>>{1, {}}) == "8201f6");
    CHECK(to_cbor(std::string{"\xC3\x28"}) == "payload: a string is not UTF-8");
}

TEST_CASE("cbor: an optional is left out, or null where absent means something else") {
    order empty;
    empty.shelf.reset();
    CHECK(from_cbor<order>(to_cbor(empty)) == empty);
    CHECK(to_cbor(empty).ends_with("657368656c66f6"));
    CHECK(to_cbor(empty).find("67696674") == std::string::npos);  // "gift"
}

TEST_CASE("cbor: every error of an object") {
    CHECK(error_of(from_cbor<id_only>("A1 62 6964 07 00")) ==
          "payload, byte 5: expected nothing behind the value, found `0x00`");
    CHECK(error_of(from_cbor<id_only>("A2 62 6964 07 62 6964 07")) ==
          "id, byte 5: field comes twice, found `id`");
    CHECK(error_of(from_cbor<id_only>("A0")) == "payload, byte 0: missing field \"id\"");
    CHECK(error_of(from_cbor<id_only>("A1 62 6964 61 78")) ==
          "id, byte 4: expected an integer, found `x`");
    CHECK(error_of(from_cbor<id_only>("A1 62 6964")) ==
          "id, byte 4: expected the rest of an item, but the payload ends");
    CHECK(!from_cbor<std::string>("62c328"));
    CHECK(!from_cbor<state>("64 73687574"));
    CHECK(from_cbor<state>("64 70616964") == state::paid);
}
