#include "transport/rabbitmq/fields.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using namespace waybill::rabbitmq;
using waybill::byte_buffer;
using waybill::header_kind;
using waybill::headers;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span{text}); }
std::string text_of(std::span<const std::byte> from) {
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

std::string length_of(std::size_t size) {
    std::string four(4, '\0');
    for (int i = 3; i >= 0; --i, size >>= 8U)
        four[static_cast<std::size_t>(i)] = static_cast<char>(size);
    return four;
}

headers table(std::string_view entries) {
    byte_buffer packed;
    REQUIRE(read_table(bytes(entries), packed));
    return headers::copy_of(packed.bytes());
}
std::string written(const headers& all) {
    byte_buffer out;
    REQUIRE(write_table(all.packed(), out).has_value());
    return text_of(out.bytes());
}
bool refuses_table(std::string_view entries) {
    byte_buffer packed;
    return !read_table(bytes(entries), packed);
}
bool refuses_properties(std::string_view from) {
    byte_buffer packed;
    return !read_properties(bytes(from), packed);
}
waybill::error refused(const headers& all) {
    byte_buffer out;
    const auto done = write_properties(all.packed(), out);
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == waybill::errc::refused);
    return done.error();
}

/// One entry of each type, with what a reader sees.
struct sample {
    std::string_view wire;
    header_kind kind;
    wire_type type;
    std::string_view seen;
};
const std::vector<sample> samples{
    {"\1aV"sv, header_kind::null, wire_type::usual, "null"},
    {"\1at\0"sv, header_kind::boolean, wire_type::usual, "false"},
    {"\1at\1"sv, header_kind::boolean, wire_type::usual, "true"},
    {"\1ab\x80"sv, header_kind::integer, wire_type::i8, "-128"},
    {"\1aB\xFF"sv, header_kind::unsigned_integer, wire_type::u8, "255"},
    {"\1as\x80\0"sv, header_kind::integer, wire_type::i16, "-32768"},
    {"\1au\xFF\xFF"sv, header_kind::unsigned_integer, wire_type::u16, "65535"},
    {"\1aI\x80\0\0\0"sv, header_kind::integer, wire_type::i32, "-2147483648"},
    {"\1ai\xFF\xFF\xFF\xFF"sv, header_kind::unsigned_integer, wire_type::u32, "4294967295"},
    {"\1al\x80\0\0\0\0\0\0\0"sv, header_kind::integer, wire_type::usual, "-9223372036854775808"},
    {"\1aL\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv, header_kind::unsigned_integer, wire_type::u64,
     "18446744073709551615"},
    {"\1af\x3F\xC0\0\0"sv, header_kind::floating, wire_type::f32, "1.5"},
    {"\1ad\x3F\xF8\0\0\0\0\0\0"sv, header_kind::floating, wire_type::usual, "1.5"},
    {"\1aT\0\0\0\0\x65\x53\xF1\0"sv, header_kind::unsigned_integer, wire_type::timestamp,
     "1700000000"},
    {"\1aD\2\0\0\1\0"sv, header_kind::bytes, wire_type::decimal, "0200000100"},
    {"\1aS\0\0\0\2hi"sv, header_kind::text, wire_type::usual, "hi"},
    {"\1aS\0\0\0\0"sv, header_kind::text, wire_type::usual, ""},
    {"\1aS\0\0\0\2\xFF\xFE"sv, header_kind::bytes, wire_type::long_string, "fffe"},
    {"\1ax\0\0\0\3\0\xFF\x10"sv, header_kind::bytes, wire_type::usual, "00ff10"},
    {"\1aF\0\0\0\3\1bV"sv, header_kind::bytes, wire_type::table, "016256"},
    {"\1aF\0\0\0\0"sv, header_kind::bytes, wire_type::table, ""},
    {"\1aA\0\0\0\3Vt\1"sv, header_kind::bytes, wire_type::array, "567401"},
};

/// `depth` tables, each in the one around it, or arrays.
std::string nested(std::size_t depth, char kind) {
    std::vector<std::size_t> sizes(depth);
    const std::size_t around = kind == 'F' ? 6 : 5;
    for (std::size_t level = 0; level < depth; ++level) sizes[level] = (depth - level - 1) * around;
    std::string all;
    for (const auto size : sizes) {
        if (kind == 'F') all += '\0';
        all += kind;
        all += length_of(size);
    }
    return all;
}

}  // namespace

TEST_SUITE("field tables") {
    TEST_CASE("each type is read as its kind and written as it was") {
        for (const auto& one : samples) {
            CAPTURE(one.seen);
            const auto all = table(one.wire);
            REQUIRE(all.count() == 1);
            const auto entry = *all.begin();
            CHECK(entry.name == "a");
            CHECK(entry.value.kind() == one.kind);
            CHECK(wire_type_of(entry.value) == one.type);
            CHECK(entry.value.to_string() == one.seen);
            CHECK(written(all) == length_of(one.wire.size()) + std::string{one.wire});
        }
    }

    TEST_CASE("every entry that is cut off is refused, wherever") {
        for (const auto& one : samples) {
            CAPTURE(one.seen);
            for (std::size_t size = 1; size < one.wire.size(); ++size) {
                CHECK(refuses_table(one.wire.substr(0, size)));
                CHECK_FALSE(is_well_formed(bytes(one.wire.substr(0, size)), false));
            }
            CHECK(is_well_formed(bytes(one.wire), false));
            CHECK(is_well_formed(bytes(one.wire.substr(2)), true));
        }
    }

    TEST_CASE("names come twice, are empty, or as long as can be") {
        const auto longest = std::string(255, 'n');
        const auto entries = "\1aV\1aV"s + std::string("\0V", 2) + "\xFF" + longest + "V";
        const auto all = table(entries);
        CHECK(all.count() == 4);
        CHECK(written(all) == length_of(entries.size()) + entries);
    }

    TEST_CASE("a name that begins with ':' is no property") {
        const auto all = table("\5:typeV"sv);
        CHECK_FALSE((*all.begin()).is_property());
        CHECK(written(all) == length_of(7) + "\5:typeV");
        byte_buffer out;
        REQUIRE(write_properties(all.packed(), out).has_value());
        CHECK(text_of(out.bytes()) == "\x20\0"s + length_of(7) + "\5:typeV");
    }

    TEST_CASE("the runtime's own names are known without their case") {
        const auto all = table("\x13Waybill-Retry-CountI\0\0\0\3"sv);
        CHECK(all.find(waybill::known_header::retry_count)->integer() == 3);
    }

    TEST_CASE("what is not a type, or lies about its length, is refused") {
        CHECK(refuses_table("\1aQ\0"sv));
        CHECK(refuses_table("\1aS\xFF\xFF\xFF\xFFx"sv));
        CHECK(refuses_table("\1aF\0\0\0\4\1bV"sv));
        CHECK(refuses_table("\1aF\0\0\0\2\1bV"sv));
        CHECK(refuses_table("\1aF\0\0\0\3\2bV"sv));
        CHECK(refuses_table("\1aA\0\0\0\5F\0\0\0\1\0"sv));
        CHECK(refuses_table("\1aF\0\0\0\4\1bQ\0"sv));
    }

    TEST_CASE("tables in tables are kept whatever their depth, and a lie at the bottom is found") {
        for (const char kind : {'F', 'A'}) {
            auto deep = nested(100'000, kind);
            const auto entry = "\1a"s + kind + length_of(deep.size()) + deep;
            const auto all = table(entry);
            CHECK(written(all) == length_of(entry.size()) + entry);
            auto cut = entry;
            cut.back() = '\1';
            CHECK(refuses_table(cut));
        }
    }

    TEST_CASE("a number that is not finite is read and not written: every server ends for it") {
        const std::vector<std::string_view> numbers{"f\x7F\xA0\0\1"sv, "f\xFF\x80\0\0"sv,
                                                    "d\x7F\xF8\0\0\0\0\0\0"sv,
                                                    "d\xFF\xF0\0\0\0\0\0\0"sv};
        for (const auto number : numbers) {
            const auto inner = "A" + length_of(number.size()) + std::string{number};
            const auto entry = "\1b" + inner;
            for (const auto& wire : {std::string{number}, "A" + length_of(inner.size()) + inner,
                                     "F" + length_of(entry.size()) + entry}) {
                CAPTURE(bytes(wire).size());
                const auto why = refused(table("\1a" + wire));
                CHECK(why.where == "header \"a\"");
                CHECK(why.what.find("is infinite") != std::string::npos);
            }
        }
        CHECK(refused({{"a", as(wire_type::f32, 1e300)}}).what.starts_with("The number is inf"));
    }

    TEST_CASE("an array is read value by value") {
        byte_buffer packed;
        REQUIRE(read_array(bytes("Vt\1S\0\0\0\1x"sv), packed));
        const auto all = headers::borrow(packed.bytes());
        CHECK(all.count() == 3);
        CHECK((*all.begin()).name.empty());
        packed.clear();
        CHECK_FALSE(read_array(bytes("Vt"sv), packed));
    }
}

TEST_SUITE("properties") {
    TEST_CASE("all of them, with a table, in the order of the protocol") {
        const std::string all = "\xFF\xFC\1a\1b" + length_of(3) + "\1hV" + "\2\7\1c\1d\1e\1f"s +
                                std::string("\0\0\0\0\x65\x53\xF1\0", 8) + "\1g\1h\1i\1j";
        byte_buffer packed;
        REQUIRE(read_properties(bytes(all), packed));
        const auto seen = headers::borrow(packed.bytes());
        CHECK(seen.count() == 14);
        CHECK(seen.text(property::content_type) == "a");
        CHECK(seen.find(property::delivery_mode)->unsigned_integer() == 2);
        CHECK(seen.find(property::timestamp)->unsigned_integer() == 1'700'000'000);
        CHECK(seen.text(property::cluster_id) == "j");
        CHECK(seen.find("h")->kind() == header_kind::null);
        byte_buffer out;
        REQUIRE(write_properties(packed.bytes(), out).has_value());
        CHECK(text_of(out.bytes()) == all);
        for (std::size_t size = 0; size < all.size(); ++size)
            CHECK(refuses_properties(all.substr(0, size)));
        CHECK(refuses_properties(all + "x"));
    }

    TEST_CASE("none at all, and flags that there are not") {
        byte_buffer packed;
        REQUIRE(read_properties(bytes("\0\0"sv), packed));
        CHECK(packed.empty());
        byte_buffer out;
        REQUIRE(write_properties({}, out).has_value());
        CHECK(text_of(out.bytes()) == "\0\0"sv);
        CHECK(refuses_properties("\0\1\0\0"sv));
        CHECK(refuses_properties("\0\2"sv));
    }

    TEST_CASE("of a property that is there twice, the first is sent") {
        headers all{{property::type, "one"}, {property::type, "two"}};
        byte_buffer out;
        REQUIRE(write_properties(all.packed(), out).has_value());
        CHECK(text_of(out.bytes()) == "\0\x20\3one"sv);
    }

    TEST_CASE("what the protocol cannot hold is refused by name") {
        CHECK(refused({{std::string(256, 'n'), 1}}).what == "The name is longer than 255 bytes");
        CHECK(refused({{"n", std::numeric_limits<std::uint64_t>::max()}}).where == "header \"n\"");
        CHECK(refused({{"n", as(wire_type::i8, 128)}}).what.starts_with("The number is outside"));
        CHECK(refused({{"n", as(wire_type::u16, 65'536U)}})
                  .what.starts_with("The number is outside"));
        CHECK(
            refused({{"n", as(wire_type::decimal, bytes("1234"))}}).what.starts_with("The bytes"));
        CHECK(refused({{"n", as(wire_type::table, bytes("\1a"))}}).what.starts_with("The bytes"));
        CHECK(refused({{"n", as(wire_type::array, bytes("S"))}}).what.starts_with("The bytes"));
        CHECK(refused({{property::type, 1}}).what == "The property is not text");
        CHECK(refused({{property::type, std::string(256, 'x')}}).what ==
              "The property is longer than 255 bytes");
        CHECK(refused({{property::priority, -1}}).what.ends_with("from 0 to 255"));
        CHECK(refused({{property::timestamp, "now"}}).what == "The property is no whole number");
        CHECK(refused({{":other", "x"}}).what == "The protocol has no property of that name");
    }
}
