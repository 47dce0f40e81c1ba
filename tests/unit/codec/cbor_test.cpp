#include "samples.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <variant>

using namespace samples;

namespace samples {

struct long_names {
    int a_name_of_exactly_32_letters_now = 0;
};

struct flagged {
    std::vector<bool> flags;
    std::vector<flagged> children;
};

}  // namespace samples

TEST_CASE("cbor: integers end where their types end") {
    CHECK(from_cbor<std::int64_t>("3b7fffffffffffffff") ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(!from_cbor<std::int64_t>("3b8000000000000000"));
    CHECK(!from_cbor<std::int64_t>("1bffffffffffffffff"));
    CHECK(from_cbor<int>("1b0000000000000007") == 7);  // longer than it need be
    CHECK(!from_cbor<std::uint8_t>("20"));
    CHECK(!from_cbor<std::uint8_t>("190100"));
    CHECK(from_cbor<std::int8_t>("387f") == -128);
    CHECK(!from_cbor<std::int8_t>("3880"));
    CHECK(!from_cbor<int>("f93c00"));
}

TEST_CASE("cbor: an integer is a float, and a float fits its type or is refused") {
    CHECK(from_cbor<double>("1864") == 100.0);
    CHECK(from_cbor<double>("20") == -1.0);
    CHECK(from_cbor<double>("1bffffffffffffffff") == 18446744073709551616.0);
    CHECK(from_cbor<double>("3bffffffffffffffff") == -18446744073709551616.0);
    CHECK(!from_cbor<float>("fb7e37e43c8800759c"));
    CHECK(to_cbor(1.5F) == "fa3fc00000");
    // Integers are rounded once, to the type that is read.
    CHECK(from_cbor<float>("1b8000008000000001") == 0x1.000002p63F);
    CHECK(from_cbor<float>("3b8000008000000000") == -0x1.000002p63F);
    CHECK(from_cbor<double>("3bffffffffffffffff") == -0x1p64);
    CHECK(from_cbor<float>("3bfffffffffffffffe") == -0x1p64F);
}

TEST_CASE("cbor: no count is taken for an indefinite length") {
    CHECK(error_of(from_cbor<std::vector<int>>("9B FFFFFFFFFFFFFFFF 01 FF")) ==
          "payload, byte 0: expected as many items as announced, found `array`");
    CHECK(!from_cbor<id_only>("BB FFFFFFFFFFFFFFFF 62 6964 07 FF"));
    CHECK(!from_cbor<std::vector<int>>("83 0102"));
}

TEST_CASE("cbor: a tag belongs to a value, not to the end of a container") {
    CHECK(error_of(from_cbor<std::vector<int>>("9f01 c1 ff")) ==
          "[1], byte 3: expected a value, found `0xff`");
    CHECK(!from_cbor<std::vector<bool>>("9f c1 ff"));
    CHECK(!from_cbor<id_only>("bf 62 6964 07 c1 ff"));
    CHECK(!from_cbor<id_only>("bf 62 6964 07 d2 ff"));
    CHECK(!from_cbor<std::map<std::string, int>>("bf c1 ff"));
    CHECK(!from_cbor<std::variant<std::int32_t, bool>>("bf 63 693332 01 c1 ff"));
    for (const auto* unknown : {"9f c1 ff", "bf d82a ff", "bf 61 61 01 d82a ff", "9f 01 d2 ff"})
        CHECK(!from_cbor<id_only>(std::string{"a2 62 6964 07 61 78"} + unknown));
}

TEST_CASE("cbor: a key of chunks is compared to its end") {
    const std::string name = to_hex(bytes_of("a_name_of_exactly_32_letters_now"));
    CHECK(from_cbor<long_names>("a1 7f 7820" + name + "ff 07")->a_name_of_exactly_32_letters_now ==
          7);
    CHECK(from_cbor<long_names>("a1 7f 70" + name.substr(0, 32) + "70" + name.substr(32) + "ff 07")
              ->a_name_of_exactly_32_letters_now == 7);
    CHECK(!from_cbor<long_names>("a1 7f 781f" + name.substr(0, 62) + "ff 07"));
}

TEST_CASE("cbor: bits are a level of nesting") {
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
          "payload, byte 5: expected nothing behind the value, found `0`");
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

TEST_CASE("cbor: every type of field is cut short somewhere, or has something behind it") {
    const std::string hex = to_cbor(full_order());
    REQUIRE(from_cbor<order>(hex));
    for (std::size_t size = 0; size < hex.size(); size += 2) {
        CAPTURE(size);
        REQUIRE(!from_cbor<order>(hex.substr(0, size)));
        REQUIRE(!from_cbor<nothing>(hex.substr(0, size)));
    }
    for (const std::string_view extra : {"00", "f6", "ff", "a0"})
        CHECK(!from_cbor<order>(hex + std::string{extra}));
}

TEST_CASE("cbor: a field that comes twice is an error, in any spelling") {
    CHECK(!from_cbor<id_only>("a2 626964 07 626964 07"));
    CHECK(!from_cbor<id_only>("bf 626964 07 626964 08 ff"));
    CHECK(!from_cbor<id_only>("a2 626964 07 7f 6169 6164 ff 07"));
    CHECK(!from_cbor<id_only>("a2 626964 07 78026964 07"));
    CHECK(!from_cbor<id_only>("a2 626964 07 d82a626964 07"));
    CHECK(from_cbor<id_only>("a3 6178 01 6178 02 626964 07")->id == 7);
}
