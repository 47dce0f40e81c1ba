// The structure of JSON texts: RFC 8259's own examples, and what is almost JSON.
#include "byte_edits.hpp"
#include "samples.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <map>

using namespace samples;

namespace json_structure {

// RFC 8259, section 13.
constexpr std::string_view image_example = R"({
        "Image": {
            "Width":  800,
            "Height": 600,
            "Title":  "View from 15th Floor",
            "Thumbnail": {
                "Url":    "http://www.example.com/image/481989943",
                "Height": 125,
                "Width":  100
            },
            "Animated" : false,
            "IDs": [116, 943, 234, 38793]
          }
      })";

struct thumbnail {
    std::string Url;
    int Height = 0;
    int Width = 0;
    bool operator==(const thumbnail&) const = default;
};
struct image {
    int Width = 0;
    int Height = 0;
    std::string Title;
    thumbnail Thumbnail;
    bool Animated = true;
    std::vector<int> IDs;
    bool operator==(const image&) const = default;
};
struct image_holder {
    image Image;
    bool operator==(const image_holder&) const = default;
};

constexpr std::string_view places_example = R"([
        {
           "precision": "zip",
           "Latitude":  37.7668,
           "Longitude": -122.3959,
           "Address":   "",
           "City":      "SAN FRANCISCO",
           "State":     "CA",
           "Zip":       "94107",
           "Country":   "US"
        },
        {
           "precision": "zip",
           "Latitude":  37.371991,
           "Longitude": -122.026020,
           "Address":   "",
           "City":      "SUNNYVALE",
           "State":     "CA",
           "Zip":       "94085",
           "Country":   "US"
        }
      ])";

struct place {
    std::string precision;
    double Latitude = 0;
    double Longitude = 0;
    std::string Address, City, State, Zip, Country;
    bool operator==(const place&) const = default;
};

TEST_CASE("json: the examples of RFC 8259") {
    const image_holder wanted{{800,
                               600,
                               "View from 15th Floor",
                               {"http://www.example.com/image/481989943", 125, 100},
                               false,
                               {116, 943, 234, 38793}}};
    CHECK(from_json<image_holder>(image_example) == wanted);
    CHECK(from_json<image_holder>(to_json(wanted)) == wanted);
    const std::vector<place> places{
        {"zip", 37.7668, -122.3959, "", "SAN FRANCISCO", "CA", "94107", "US"},
        {"zip", 37.371991, -122.026020, "", "SUNNYVALE", "CA", "94085", "US"}};
    CHECK(from_json<std::vector<place>>(places_example) == places);
    CHECK(from_json<std::vector<place>>(to_json(places)) == places);
    CHECK(from_json<std::string>(R"("Hello world!")") == "Hello world!");
    CHECK(from_json<int>("42") == 42);
    CHECK(from_json<bool>("true") == true);
    CHECK(from_json<std::string>(R"("\u005C")") == "\\");  // section 7
    CHECK(from_json<std::string>(R"("\uD834\uDD1E")") == "\U0001D11E");
    CHECK(from_json<std::string>(R"("a\\b")") == from_json<std::string>(R"("a\u005Cb")"));
}

TEST_CASE("json: the examples of RFC 8259 are skipped in an unknown field") {
    for (const std::string_view value : {image_example, places_example}) {
        const std::string text{value};
        CHECK(from_json<id_only>("{\"x\":" + text + ",\"id\":7}")->id == 7);
        CHECK(from_json<id_only>("{\"id\":7,\"x\":[" + text + "," + text + "]}")->id == 7);
    }
}

TEST_CASE("json: a text that is cut short anywhere is an error, read or skipped") {
    for (std::size_t size = 0; size < image_example.size(); ++size) {
        const std::string cut{image_example.substr(0, size)};
        CAPTURE(cut);
        REQUIRE(!from_json<image_holder>(cut));
        REQUIRE(!from_json<nothing>(cut));
        REQUIRE(!from_json<id_only>("{\"id\":7,\"x\":" + cut));
        REQUIRE(!from_json<id_only>("{\"id\":7,\"x\":" + cut + "}"));
    }
    for (std::size_t size = 0; size < places_example.size(); ++size) {
        const std::string cut{places_example.substr(0, size)};
        CAPTURE(cut);
        REQUIRE(!from_json<std::vector<place>>(cut));
        REQUIRE(!from_json<std::vector<nothing>>(cut));
        REQUIRE(!from_json<id_only>("{\"id\":7,\"x\":" + cut));
        REQUIRE(!from_json<id_only>("{\"id\":7,\"x\":" + cut + "}"));
    }
}

TEST_CASE("json: every type of field is cut short somewhere") {
    const std::string text = to_json(full_order());
    for (std::size_t size = 0; size < text.size(); ++size) {
        CAPTURE(size);
        REQUIRE(!from_json<order>(text.substr(0, size)));
        REQUIRE(!from_json<nothing>(text.substr(0, size)));
    }
}

TEST_CASE("json: nothing may stand before or behind the value but spaces") {
    for (const std::string_view value : {R"({"id":7})", "[7]", "7", "\"7\"", "true"}) {
        const auto good = [](const std::string& text) {
            return from_json<id_only>(text).has_value() ||
                   from_json<std::vector<int>>(text).has_value() ||
                   from_json<int>(text).has_value() || from_json<std::string>(text).has_value() ||
                   from_json<bool>(text).has_value();
        };
        for (const std::string_view extra :
             {",",  ";",    ":",    "}",    "]", "{",  "[",      "{}",   "[]",        "0", "7",
              "\"", "\"\"", "null", "true", "x", "//", "// end", "/**/", "/* end */", "#", "# end",
              "-",  ".",    "\\",   "'",    "`", "\v", "\f",     "\x7f", "<!-- -->",  "!", "?"}) {
            CAPTURE(value);
            CAPTURE(extra);
            const bool digit = extra == "0" || extra == "7";
            CHECK(good(std::string{value} + std::string{extra}) == (digit && value == "7"));
            CHECK(!good(std::string{value} + " " + std::string{extra}));
            CHECK(!good(std::string{value} + "\n" + std::string{extra} + "\n"));
            // A minus sign in front of a number belongs to it, and a digit too.
            if (value == "7" && (extra == "-" || extra == "7")) continue;
            CHECK(!good(std::string{extra} + std::string{value}));
            CHECK(!good(std::string{extra} + "\n" + std::string{value}));
        }
        CHECK(!good(std::string{value} + std::string(1, '\0')));
        CHECK(!good(std::string(1, '\0') + std::string{value}));
        CHECK(good(" \t\r\n" + std::string{value} + " \t\r\n"));
    }
}

TEST_CASE("json: comments are not JSON, wherever they stand") {
    for (const std::string_view comment : {"/**/", "/* a */", "// a\n", "# a\n", "<!-- a -->"}) {
        const std::string c{comment};
        CAPTURE(c);
        CHECK(!from_json<id_only>("{" + c + R"("id":7})"));
        CHECK(!from_json<id_only>(R"({"id")" + c + ":7}"));
        CHECK(!from_json<id_only>(R"({"id":)" + c + "7}"));
        CHECK(!from_json<id_only>(R"({"id":7)" + c + "}"));
        CHECK(!from_json<std::vector<int>>("[" + c + "1]"));
        CHECK(!from_json<std::vector<int>>("[1," + c + "2]"));
        CHECK(!from_json<std::vector<int>>("[1" + c + "]"));
        CHECK(!from_json<std::vector<int>>("[" + c + "]"));
        CHECK(!from_json<nothing>("{" + c + "}"));
    }
}

TEST_CASE("json: commas stand between, never first, last or twice") {
    for (const std::string_view list : {"[,]", "[1,]", "[,1]", "[1,,2]", "[1,2,]", "[1 2]", "[1;2]",
                                        "[1,2,,]", "[,,]", "[1,2 3]", "[1]2]", "[1:2]"}) {
        CAPTURE(list);
        CHECK(!from_json<std::vector<int>>(list));
        CHECK(!from_json<std::vector<bool>>(list));
        if (list == "[1;2]") continue;  // a misspelled number, which nobody looks at here
        CHECK(!from_json<id_only>(R"({"id":7,"x":)" + std::string{list} + "}"));
        CHECK(!from_json<id_only>(R"({"x":)" + std::string{list} + R"(,"id":7})"));
        CHECK(!from_json<id_only>(R"({"id":7,"x":[[)" + std::string{list} + "]]}"));
    }
    for (const std::string_view members : {R"({,"id":7})",
                                           R"({"id":7,})",
                                           R"({"id":7,,"a":1})",
                                           R"({"id":7 "a":1})",
                                           R"({"id":7;"a":1})",
                                           R"({"id":7,"a"})",
                                           R"({"id":7,"a":})",
                                           R"({"id":7,:1})",
                                           R"({"id":7,"a"=1})",
                                           R"({"id":7,"a"=>1})",
                                           R"({"id":7,"a" 1})",
                                           R"({"id":7,"a"::1})",
                                           R"({"id":7,"a":1:2})",
                                           R"({"id":7,"a":1,2})",
                                           R"({"id":7,a:1})",
                                           R"({"id":7,'a':1})",
                                           R"({"id":7,1:1})",
                                           R"({"id":7,null:1})",
                                           R"({"id":7,[]:1})",
                                           R"({"id":7,{}:1})",
                                           R"({"id":7,"a":1]})",
                                           R"({"id":7,"a":[1})",
                                           R"({"id":7,"a":{1}})",
                                           R"({"id":7,"a":{"b"}})",
                                           R"({"id":7,"a":{"b":1,}})",
                                           R"({"id":7,"a":{,"b":1}})",
                                           R"({"id":7,"a":{"b":}})",
                                           R"({"id":7,"a":{b:1}})",
                                           R"({"id":7,"a":["b":1]})",
                                           R"({"id":7,"a":("b")})"}) {
        CAPTURE(members);
        CHECK(!from_json<id_only>(members));
    }
}

TEST_CASE("json: literals are spelled in full and in small letters") {
    for (const std::string_view wrong :
         {"True",  "TRUE",  "tru",    "truee",  "t",        "true1",      "True ",
          "False", "FALSE", "fals",   "falsee", "f",        "yes",        "no",
          "on",    "off",   "1",      "0",      "\"true\"", "null",       "nul",
          "[]",    "tRue",  "true\"", "\"true", "true_",    "true\\u0020"}) {
        CAPTURE(wrong);
        CHECK(!from_json<bool>(wrong));
        CHECK(!from_json<std::vector<bool>>("[true," + std::string{wrong} + "]"));
    }
    for (const std::string_view wrong : {"Null", "NULL", "nul", "nulll", "n", "nil", "None",
                                         "undefined", "null0", "nan", "\"null\"", "[]", "{}"}) {
        CAPTURE(wrong);
        CHECK(!from_json<std::optional<int>>(wrong));
        CHECK(!from_json<std::vector<std::optional<int>>>("[" + std::string{wrong} + "]"));
        CHECK(!from_json<line>(R"({"sku":"","cents":1,"note":)" +
                               (wrong == "\"null\"" ? std::string{"0"} : std::string{wrong}) +
                               "}"));
    }
    CHECK(from_json<std::optional<int>>("null").value() == std::nullopt);
    CHECK(from_json<std::optional<int>>("7").value() == 7);
}

TEST_CASE("json: null is a value of optionals alone") {
    CHECK(!from_json<int>("null"));
    CHECK(!from_json<double>("null"));
    CHECK(!from_json<std::string>("null"));
    CHECK(!from_json<bool>("null"));
    CHECK(!from_json<state>("null"));
    CHECK(!from_json<nothing>("null"));
    CHECK(!from_json<std::vector<int>>("null"));
    CHECK(!from_json<std::vector<bool>>("null"));
    CHECK(!from_json<std::vector<std::byte>>("null"));
    CHECK(!from_json<line>(R"({"sku":null,"cents":1})"));
}

TEST_CASE("json: a field that comes twice is an error, also with the same value") {
    for (const std::string_view text :
         {R"({"id":7,"id":7})", R"({"id":7,"id":8})", R"({"id":7,"x":1,"id":7})",
          R"({"\u0069\u0064":7,"id":7})", R"({"id":7,"i\u0064":7})"}) {
        CAPTURE(text);
        CHECK(!from_json<id_only>(text));
    }
    CHECK(!from_json<line>(R"({"sku":"a","cents":1,"note":null,"note":"b"})"));
    CHECK(!from_json<std::vector<line>>(R"([{"sku":"","cents":1,"cents":1}])"));
    // Nobody reads them, so nobody is misled.
    CHECK(from_json<id_only>(R"({"x":1,"x":2,"id":7})")->id == 7);
    CHECK(from_json<id_only>(R"({"x":{"id":1,"id":2},"id":7})")->id == 7);
}

TEST_CASE("json: single bytes and pairs of bytes are no object") {
    for (unsigned first = 0; first < 256; ++first) {
        const std::string one(1, static_cast<char>(first));
        CHECK(!from_json<nothing>(one));
        for (unsigned second = 0; second < 256; ++second) {
            const std::string two = one + static_cast<char>(second);
            CAPTURE(to_hex(bytes_of(two)));
            REQUIRE(from_json<nothing>(two).has_value() == (two == "{}"));
            REQUIRE(from_json<std::vector<int>>(two).has_value() == (two == "[]"));
            REQUIRE(from_json<std::string>(two).has_value() == (two == "\"\""));
        }
    }
}

struct nest {
    std::map<std::string, nest> inner;
    bool operator==(const nest&) const = default;
};

TEST_CASE("json: nesting ends at 64 levels, read or skipped") {
    const auto nested = [](std::size_t count, std::string_view open, std::string_view innermost,
                           std::string_view close) {
        return repeated(count, open) + std::string{innermost} + repeated(count, close);
    };
    const auto trees = [&](std::size_t count) {
        return nested(count, R"({"value":1,"children":[)", R"({"value":1,"children":[]})", "]}");
    };
    CHECK(from_json<tree>(trees(31)));
    CHECK(error_of(from_json<tree>(trees(32)))
              .ends_with("[0], byte 736: expected at most 64 levels, found "
                         "`{\"value\":1,\"children\":[]`..."));
    CHECK(from_json<std::optional<tree>>(trees(31)));
    CHECK(!from_json<std::optional<tree>>(trees(32)));
    const auto nests = [&](std::size_t count) {
        return nested(count, R"({"inner":{"a":)", R"({"inner":{}})", "}}");
    };
    CHECK(from_json<nest>(nests(31)));
    CHECK(!from_json<nest>(nests(32)));

    const auto arrays = [&](std::size_t count) { return nested(count - 1, "[", "[]", "]"); };
    const auto objects = [&](std::size_t count) { return nested(count - 1, R"({"":)", "{}", "}"); };
    for (const std::string& good : {arrays(63), objects(63)})
        CHECK(from_json<id_only>(R"({"x":)" + good + R"(,"y":)" + good + R"(,"id":7})")->id == 7);
    for (const std::string& bad : {arrays(64), objects(64), arrays(100'000), objects(100'000)})
        CHECK(!from_json<id_only>(R"({"x":)" + bad + R"(,"id":7})"));

    // Behind the deepest values there is as much room as before them.
    const std::string wide =
        R"({"value":0,"children":[)" + trees(30) + "," + trees(30) + R"(],"x":)" + arrays(63) + "}";
    CHECK(from_json<tree>(wide)->children.size() == 2);
}

/// Reads a `line` as nlohmann-json reads it, or refuses it.
void check_by_oracle(const std::string& text) {
    CAPTURE(text);
    const auto ours = from_json<line>(text);
    const auto theirs = nlohmann::json::parse(text, nullptr, false);
    if (theirs.is_discarded()) {
        REQUIRE(!ours);
    } else if (ours) {
        REQUIRE(ours->sku == theirs.at("sku").get<std::string>());
        REQUIRE(ours->cents == theirs.at("cents").get<std::int64_t>());
        const auto note = theirs.value("note", nlohmann::json{});
        REQUIRE(ours->note.has_value() == !note.is_null());
        if (ours->note) REQUIRE(*ours->note == note.get<std::string>());
    }
}

TEST_CASE(
    "json: one byte more, less or other than a good text is what another reader makes of it") {
    for (const std::string_view sample :
         {R"({"sku":"a\n\u00e9","cents":12,"note":null})",
          R"( { "note" : "\ud83d\ude00\"" , "sku" : "", "cents":0 } )"}) {
        const std::string good{sample};
        REQUIRE(from_json<line>(good));
        support::for_each_byte_edit(good, check_by_oracle);
    }
}

}  // namespace json_structure
