// Faults that users of other frameworks reported: reading and writing CBOR.
#include "heap_peak.hpp"
#include "shop.hpp"
#include "unit/codec/samples.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <ctime>
#include <limits>

namespace cbor_reports {

using namespace samples;

struct id_and_name {
    std::uint64_t id = 0;
    std::string n;
    bool operator==(const id_and_name&) const = default;
};
/// The types of a tree's levels are arrays and maps in turn.
constexpr std::string_view tree_level = "A2 65 76616C7565 01 68 6368696C6472656E 81";
constexpr std::string_view tree_leaf = "A2 65 76616C7565 01 68 6368696C6472656E 80";
/// {"id": 7, "x": and then what nobody reads.
constexpr std::string_view unknown = "A2 62 6964 07 61 78";

std::string repeated(std::size_t count, std::string_view piece) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += piece;
    return all;
}
std::string after(std::string_view head, std::string_view hex) {
    return std::string{head}.append(hex);
}

TEST_CASE("B149: chunks are joined once and in order") {
    CHECK(from_cbor<std::string>("7F 63 6F7264 62 6572 FF") == "order");
    CHECK(from_cbor<std::string>("7F 60 63 6F7264 60 62 6572 60 FF") == "order");
    CHECK(from_cbor<std::string>("7FFF") == "");
    CHECK(from_cbor<std::vector<std::byte>>("5F 43 6F7264 42 6572 FF") == from_hex("6F72646572"));
    CHECK(from_cbor<id_only>("A1 7F 61 69 61 64 FF 07")->id == 7);
    CHECK(from_cbor<state>("7F 62 7061 62 6964 FF") == state::paid);
    CHECK(!from_cbor<std::string>("7F 41 6F FF"));
    CHECK(!from_cbor<std::string>("7F 7F 61 6F FF FF"));
    CHECK(!from_cbor<std::string>("7F 61 6F"));
}

TEST_CASE("B149: a character does not lie in two chunks (RFC 8949, 3.2.3)") {
    CHECK(!from_cbor<std::string>("7F 61 C3 61 BC FF"));
    CHECK(from_cbor<std::string>("7F 62 C3BC FF") == "\u00fc");
}

TEST_CASE("B150: a key that is not text is a clean error, never a field") {
    CHECK(error_of(from_cbor<id_only>("A1 42 6964 07")) ==
          "payload, byte 1: expected a text key, found `bytes`");
    CHECK(!from_cbor<id_only>("A1 5F 42 6964 FF 07"));
    CHECK(!from_cbor<id_only>("A1 01 07"));
    CHECK(!from_cbor<id_only>("A2 62 6964 07 42 6964 08"));
}

TEST_CASE("B151: tags are passed over, wherever they stand") {
    CHECK(from_cbor<id_only>("D9D9F7 A1 62 6964 07")->id == 7);
    CHECK(from_cbor<id_only>("A1 62 6964 D8 2A 07")->id == 7);
    CHECK(from_cbor<id_only>("A1 D8 2A 62 6964 C1 C2 07")->id == 7);
    CHECK(from_cbor<id_only>("A2 61 78 82 C1 01 D8 2A 80 62 6964 07")->id == 7);
    CHECK(from_cbor<id_only>("A1 62 6964 DB FFFFFFFFFFFFFFFF 07")->id == 7);
    for (unsigned tag = 0xC0; tag <= 0xD7; ++tag) {
        const std::string hex = to_hex(std::array{static_cast<std::byte>(tag)});
        CAPTURE(hex);
        CHECK(from_cbor<id_only>("A1 62 6964" + hex + "07")->id == 7);
        CHECK(from_cbor<id_only>("A2 61 78" + hex + "01 62 6964 07")->id == 7);
        CHECK(from_cbor<id_only>("A2 61 78 9F" + hex + "01 FF 62 6964 07")->id == 7);
    }
    CHECK(!from_cbor<id_only>("A1 62 6964 D8 2A"));
    CHECK(!from_cbor<id_only>(repeated(100000, "C1")));
}

TEST_CASE("B152: half floats are exact, the smallest as well") {
    struct sample {
        std::string_view hex;
        double value;
    };
    for (const auto& [hex, value] :
         {sample{"F9 0001", 5.960464477539063e-08}, sample{"F9 8001", -5.960464477539063e-08},
          sample{"F9 03FF", 6.097555160522461e-05}, sample{"F9 0400", 6.103515625e-05},
          sample{"F9 7BFF", 65504.0}, sample{"F9 FBFF", -65504.0},
          sample{"F9 83FF", -6.097555160522461e-05}, sample{"F9 3555", 0.333251953125}}) {
        CAPTURE(hex);
        CHECK(from_cbor<double>(hex) == value);
        CHECK(from_cbor<float>(hex) == static_cast<float>(value));
    }
}

TEST_CASE("B152: every half float is the number that its bits say") {
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        const int exponent = static_cast<int>(bits >> 10);
        const double fraction = bits & 0x3ff;
        const double value =
            exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
        for (const unsigned sign : {0U, 0x80U}) {
            const std::byte payload[] = {std::byte{0xf9}, static_cast<std::byte>(sign | bits >> 8),
                                         static_cast<std::byte>(bits & 0xff)};
            const auto read = waybill::decode<double>(waybill::codecs::cbor(), payload);
            REQUIRE(read == (sign == 0 ? value : -value));
        }
    }
}

// Floats are written as wide as their C++ type, so the shortest form, F97E00, is not used.
TEST_CASE("B153: NaN is written in one way, infinity and the sign of zero are kept") {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(to_cbor(nan) == "fb7ff8000000000000");
    CHECK(to_cbor(-nan) == "fb7ff8000000000000");
    CHECK(to_cbor(std::numeric_limits<double>::signaling_NaN()) == "fb7ff8000000000000");
    CHECK(to_cbor(-std::numeric_limits<float>::quiet_NaN()) == "fa7fc00000");
    CHECK(to_cbor(infinite) == "fb7ff0000000000000");
    CHECK(to_cbor(-0.0) == "fb8000000000000000");
    CHECK(to_cbor(-0.0F) == "fa80000000");
    for (const auto* hex : {"F9 7E00", "F9 FE00", "F9 7C01", "FA 7FC00000", "FB 7FF8000000000000"})
        CHECK(std::isnan(*from_cbor<double>(hex)));
    CHECK(from_cbor<double>("F9 7C00") == infinite);
    CHECK(from_cbor<double>("F9 FC00") == -infinite);
    CHECK(from_cbor<float>("FB 7FF0000000000000") == std::numeric_limits<float>::infinity());
    CHECK(from_cbor<double>("F9 8000") == 0.0);
    CHECK(std::signbit(*from_cbor<double>("F9 8000")));
    CHECK(std::signbit(*from_cbor<float>("FB 8000000000000000")));
}

/// Reads `hex` as a `T`: an error, soon, with little memory.
template <class T>
void refuse_cheaply(std::string_view hex) {
    CAPTURE(hex);
    constexpr std::clock_t ten_milliseconds = CLOCKS_PER_SEC / 100;
    waybill::byte_buffer payload;
    for (const std::byte one : from_hex(hex)) payload.append(&one, 1);
    bool refused = false;
    const std::clock_t began = std::clock();
    const std::size_t peak = support::heap_peak([&] {
        T object{};
        refused = !read_into(object, waybill::codecs::cbor(), payload.bytes());
    });
    CHECK(std::clock() - began < ten_milliseconds);
    CHECK(peak < std::size_t{1} << 20);
    CHECK(refused);
}

TEST_CASE("B154: a length that lies costs neither time nor memory") {
    for (const std::string_view hex :
         {"9B 0000000100000000", "BB 0000000100000000", "5B 7FFFFFFFFFFFFFFF", "7A FFFFFFFF",
          "9B FFFFFFFFFFFFFFFF", "BB FFFFFFFFFFFFFFFF", "5B FFFFFFFFFFFFFFFF",
          "7B FFFFFFFFFFFFFFFF"}) {
        refuse_cheaply<std::vector<int>>(hex);
        refuse_cheaply<std::vector<order>>(hex);
        refuse_cheaply<std::vector<bool>>(hex);
        refuse_cheaply<std::vector<std::byte>>(hex);
        refuse_cheaply<std::string>(hex);
        refuse_cheaply<nothing>(hex);
        refuse_cheaply<id_only>(hex);
        for (const std::string_view inside : {"", "9F", "9B 0000000100000000", "7F", "5F"})
            refuse_cheaply<id_only>(after(unknown, after(inside, hex)));
    }
}

TEST_CASE("B155: the last string of an indefinite map is whole") {
    CHECK(from_cbor<id_and_name>("BF 62 6964 07 61 6E 63 626F62 FF") == id_and_name{7, "bob"});
    CHECK(from_cbor<id_and_name>("BF 61 6E 63 626F62 62 6964 07 FF") == id_and_name{7, "bob"});
    CHECK(from_cbor<id_and_name>("BF 62 6964 07 61 6E 7F 61 62 62 6F62 FF FF") ==
          id_and_name{7, "bob"});
    CHECK(from_cbor<nothing>("BF FF"));
    CHECK(!from_cbor<id_only>("BF 62 6964 FF"));
    CHECK(!from_cbor<id_only>("BF 62 6964 07"));
}

TEST_CASE("B156: nesting ends at 64 levels, read or skipped") {
    CHECK(!from_cbor<id_only>(repeated(100000, "81") + "00"));
    CHECK(!from_cbor<tree>(repeated(100000, "81") + "00"));
    CHECK(!from_cbor<std::vector<std::vector<int>>>(repeated(100000, "81") + "00"));
    CHECK(from_cbor<id_only>(after(unknown, repeated(63, "81") + "00")));
    for (const std::size_t levels : {64, 100000}) {
        CHECK(error_of(from_cbor<id_only>(after(unknown, repeated(levels, "81") + "00"))) ==
              "payload, byte 70: expected at most 64 levels, found `array`");
        CHECK(!from_cbor<id_only>(after(unknown, repeated(levels, "9F") + "00")));
        CHECK(!from_cbor<id_only>(after(unknown, repeated(levels, "A16161") + "00")));
        CHECK(!from_cbor<id_only>(after(unknown, repeated(levels, "BF6161") + "00")));
        CHECK(!from_cbor<id_only>(after(unknown, repeated(levels, "A180") + "00")));
    }
    CHECK(from_cbor<tree>(repeated(31, tree_level).append(tree_leaf)));
    CHECK(!from_cbor<tree>(repeated(32, tree_level).append(tree_leaf)));
    CHECK(!from_cbor<tree>(repeated(50000, tree_level).append(tree_leaf)));
}

TEST_CASE("B156: a value that is nested deeper is not written") {
    tree root;
    tree* last = &root;
    for (int i = 0; i < 40; ++i) last = &last->children.emplace_back();
    CHECK(to_cbor(root).ends_with("the value is nested deeper than 64 levels"));
}

TEST_CASE("B156: a message of 100,000 levels is a dead letter, and the next one is handled") {
    for (const std::string_view head : {std::string_view{}, unknown}) {
        waybill::app app{"shop", "1"};
        std::vector<std::uint64_t> seen;
        app.broker(waybill::memory::broker{})
            .subscribe(waybill::memory::queue("orders"),
                       [&](const id_only& one) { seen.push_back(one.id); })
            .codec(waybill::codecs::cbor())
            .max_attempts(3)
            .dead_letter("orders.dead");
        waybill::test_app tb{std::move(app)};
        const auto deep = from_hex(after(head, repeated(100000, "81") + "00"));
        tb.publish_raw("orders", deep);
        tb.publish("orders", id_only{7});
        CHECK(seen == std::vector<std::uint64_t>{7});
        REQUIRE(tb.published("orders.dead") == 1);
        const auto dead = tb.published("orders.dead")[0];
        CHECK(dead.payload == deep);
        CHECK(dead.with.text("waybill-dead-reason") == "decode");
    }
}

}  // namespace cbor_reports
