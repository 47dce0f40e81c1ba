#include <waybill/headers.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace headers_test {

using waybill::header_kind;
using waybill::header_value;
using waybill::headers;
using waybill::known_header;

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span{text});
}

std::string names_in(const headers& all) {
    std::string names;
    for (const auto& entry : all) {
        if (!names.empty()) names += ' ';
        names += entry.name;
    }
    return names;
}

TEST_CASE("headers keep their order and their duplicates") {
    const headers all{{"tag", "a"}, {"trace", 1}, {"tag", "b"}, {"Tag", "c"}};
    CHECK(all.count() == 4);
    CHECK(names_in(all) == "tag trace tag Tag");
    CHECK(all.text("tag") == "a");
}

TEST_CASE("every kind of value comes back with its type and its bytes") {
    const std::string binary{"\x00\xFF\x10", 3};
    headers all;
    all.append("null", nullptr)
        .append("true", true)
        .append("false", false)
        .append("least", std::numeric_limits<std::int64_t>::min())
        .append("most", std::numeric_limits<std::uint64_t>::max())
        .append("float", 0.1)
        .append("minus zero", -0.0)
        .append("text", "zażółć-退款")
        .append("empty", "")
        .append("bytes", bytes_of(binary))
        .append("no bytes", std::span<const std::byte>{});

    CHECK(all.find("null")->kind() == header_kind::null);
    CHECK(all.find("true")->boolean() == true);
    CHECK(all.find("false")->boolean() == false);
    CHECK(all.find("least")->integer() == std::numeric_limits<std::int64_t>::min());
    CHECK(all.find("most")->unsigned_integer() == std::numeric_limits<std::uint64_t>::max());
    CHECK(all.find("float")->floating() == 0.1);
    CHECK(all.find("minus zero") == header_value{-0.0});
    CHECK(all.find("minus zero") != header_value{0.0});
    CHECK(all.text("text") == "zażółć-退款");
    CHECK(all.text("empty") == "");
    CHECK(all.find("bytes") == header_value{bytes_of(binary)});
    CHECK(all.find("no bytes")->kind() == header_kind::bytes);
    CHECK(all.find("no bytes")->bytes()->empty());
    CHECK(headers{all} == all);
}

TEST_CASE("a value gives nothing where it is of another type or does not fit") {
    CHECK_FALSE(header_value{"7"}.integer());
    CHECK_FALSE(header_value{7}.text());
    CHECK_FALSE(header_value{7}.floating());
    CHECK_FALSE(header_value{true}.integer());
    CHECK_FALSE(header_value{nullptr}.bytes());
    CHECK_FALSE(header_value{-1}.unsigned_integer());
    CHECK_FALSE(header_value{std::numeric_limits<std::uint64_t>::max()}.integer());
    CHECK(header_value{7U}.integer() == 7);
    CHECK(header_value{7}.unsigned_integer() == 7U);
    CHECK(header_value{"7"}.bytes()->size() == 1);
}

TEST_CASE("values of different types are not equal, whatever they print") {
    CHECK(header_value{7} != header_value{7U});
    CHECK(header_value{"7"} != header_value{bytes_of("7")});
    CHECK(header_value{1} != header_value{true});
    CHECK(header_value{nullptr} != header_value{""});
}

TEST_CASE("names are looked up without regard to ASCII case, and only ASCII") {
    headers all{{"X-Trace", "1"}, {"Ä", "2"}};
    CHECK(all.text("x-trace") == "1");
    CHECK(all.text("X-TRACE") == "1");
    CHECK_FALSE(all.contains("x-trac"));
    CHECK_FALSE(all.contains("ä"));
    CHECK_FALSE(all.contains("x\rTRACE"));
    CHECK(all.remove("x-tRACE") == 1);
    CHECK(names_in(all) == "Ä");
}

TEST_CASE("what begins with a colon is a property, and a copy keeps its type") {
    headers all{{":priority", header_value{7U}.as_wire_type(2)}, {"x", 1}};
    CHECK((*all.begin()).is_property());
    CHECK_FALSE((*++all.begin()).is_property());
    const headers copy = all;
    CHECK(copy.find(":priority")->wire_type() == 2);
    CHECK(copy.find(":priority")->unsigned_integer() == 7);
    CHECK_FALSE(header_value{7U} == header_value{7U}.as_wire_type(2));
    all.set(":priority", header_value{8U}.as_wire_type(2));
    all.remove("x");
    CHECK((*all.begin()).is_property());
    CHECK(all.find(":priority")->wire_type() == 2);
}

TEST_CASE("the runtime's own headers are known by name in any case, others never") {
    for (auto at = 1; at <= static_cast<int>(known_header::dead_count); ++at) {
        const auto known = static_cast<known_header>(at);
        if (known == known_header::property) continue;
        std::string name{name_of(known)};
        CAPTURE(name);
        CHECK(waybill::known_header_named(name) == known);
        for (auto& letter : name) {
            if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 32);
        }
        CHECK(waybill::known_header_named(name) == known);
        CHECK(headers{{name, "x"}}.find(known)->text() == "x");
        CHECK(waybill::known_header_named(name + "s") == known_header::none);
    }
    CHECK(waybill::known_header_named("") == known_header::none);
    CHECK(waybill::known_header_named("waybill-") == known_header::none);
    CHECK(waybill::known_header_named("xaybill-due") == known_header::none);
    CHECK(waybill::name_of(known_header::none).empty());
}

TEST_CASE("set replaces the first where it stands and removes the others") {
    headers all{{"a", 1}, {"b", 2}, {"A", 3}, {"c", 4}};
    all.set("a", "new");
    CHECK(all == headers{{"a", "new"}, {"b", 2}, {"c", 4}});
    all.set("d", nullptr);
    CHECK(all == headers{{"a", "new"}, {"b", 2}, {"c", 4}, {"d", nullptr}});
}

TEST_CASE("remove takes all of a name and says how many there were") {
    headers all{{"a", 1}, {"b", 2}, {"A", 3}};
    CHECK(all.remove("a") == 2);
    CHECK(all.remove("a") == 0);
    CHECK(all == headers{{"b", 2}});
    CHECK(all.remove("B") == 1);
    CHECK(all.empty());
    CHECK(all == headers{});
}

TEST_CASE("a view borrows, and its copy and its first change own") {
    headers original{{"a", "1"}, {"b", "2"}};
    auto view = headers::borrow(original.packed());
    CHECK(view == original);
    CHECK(view.packed().data() == original.packed().data());

    const headers copy{view};
    CHECK(copy == original);
    CHECK(copy.packed().data() != original.packed().data());

    view.append("c", "3");
    CHECK(original == headers{{"a", "1"}, {"b", "2"}});
    CHECK(view == headers{{"a", "1"}, {"b", "2"}, {"c", "3"}});

    const auto owner = headers::copy_of(original.packed());
    CHECK(owner == original);
    CHECK(owner.packed().data() != original.packed().data());

    auto cleared = headers::borrow(original.packed());
    cleared.clear();
    CHECK(cleared.empty());
    CHECK(original.count() == 2);
    cleared.append("d", 4);
    CHECK(cleared == headers{{"d", 4}});
}

TEST_CASE("a moved-from object is empty and can be used again") {
    headers from{{"a", "1"}};
    headers to{std::move(from)};
    CHECK(to == headers{{"a", "1"}});
    CHECK(from.empty());  // NOLINT(bugprone-use-after-move)
    CHECK(from.begin() == from.end());
    from.append("b", 2);
    CHECK(from == headers{{"b", 2}});
    to = std::move(from);
    CHECK(to == headers{{"b", 2}});
    CHECK(from.empty());  // NOLINT(bugprone-use-after-move)

    headers owner{{"c", 3}};
    auto view = headers::borrow(owner.packed());
    const headers moved{std::move(view)};
    CHECK(moved.packed().data() == owner.packed().data());
}

TEST_CASE("assignment from itself, and from a view of itself, keeps the content") {
    headers all{{"a", std::string(100, 'x')}, {"b", 2}};
    const auto before = headers{all};
    const auto& same = all;
    all = same;
    CHECK(all == before);
    const auto view = headers::borrow(all.packed());
    all = view;
    CHECK(all == before);
}

TEST_CASE("append and set may be given names and values out of the same headers") {
    headers all{{"name", std::string(40, 'v')}};
    for (int round = 0; round < 6; ++round) {
        const auto first = *all.begin();
        all.append(first.name, first.value);
    }
    CHECK(all.count() == 7);
    for (const auto& entry : all) {
        CHECK(entry.name == "name");
        CHECK(entry.value == header_value{std::string(40, 'v')});
    }

    const auto first = *all.begin();
    all.append(known_header::cc, first.value);
    CHECK(all.text("waybill-cc") == std::string(40, 'v'));

    const auto again = *all.begin();
    all.set(again.name, again.value);
    CHECK(all.count() == 2);
    CHECK(all.text("name") == std::string(40, 'v'));
    all.set("other", *all.find("waybill-cc"));
    CHECK(all.text("other") == std::string(40, 'v'));
    all.remove((*all.begin()).name);
    CHECK(names_in(all) == "waybill-cc other");
}

TEST_CASE("a value of a megabyte and an empty name are carried as they are") {
    const std::string big(1 << 20, 'x');
    headers all{{"", "nameless"}, {"big", big}};
    CHECK(all.text("") == "nameless");
    CHECK(all.text("big") == big);
}

TEST_CASE("a name of 65,535 bytes is carried, and a longer one is refused without a trace") {
    const std::string longest(65'535, 'n');
    headers all{{longest, 1}};
    CHECK((*all.begin()).name == longest);

    const headers before{all};
    const std::string longer(65'536, 'n');
    CHECK_THROWS_AS(all.append(longer, "value"), std::length_error);
    CHECK(all == before);
    CHECK_THROWS_AS(all.set(longer, "value"), std::length_error);
    CHECK(all == before);
    all.append("after", 2);
    CHECK(all.count() == 2);
    CHECK(all.find("after") == header_value{2});
}

TEST_CASE("headers are equal only with the same names, types and order") {
    CHECK(headers{{"a", 1}} != headers{{"A", 1}});
    CHECK(headers{{"a", 1}} != headers{{"a", 1U}});
    CHECK(headers{{"a", 1}, {"b", 2}} != headers{{"b", 2}, {"a", 1}});
    CHECK(headers{{"a", 1}} != headers{});
    CHECK(headers{} == headers::borrow({}));
}

TEST_CASE("headers print themselves for people") {
    std::ostringstream text;
    text << headers{{"a", "x"}, {"b", bytes_of("\x0f\xff")}, {"c", -7}, {"d", nullptr}, {"e", true},
                    {"f", 0.5}};
    CHECK(text.str() == "{a: x, b: 0fff, c: -7, d: null, e: true, f: 0.5}");
}

}  // namespace headers_test
