#include "scenario/json.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace json = waybill::scenario::json;

namespace {

json::value parsed(std::string_view text) {
    auto read = json::parse(text);
    if (!read) FAIL(read.error());
    return std::move(*read);
}

std::string error_of(std::string_view text) {
    const auto read = json::parse(text);
    return read ? "" : read.error();
}

std::string again(std::string_view text) { return json::to_text(parsed(text)); }

std::string repeated(std::string_view what, std::size_t times) {
    std::string text;
    for (std::size_t at = 0; at < times; ++at) text += what;
    return text;
}

}  // namespace

TEST_CASE("every kind of JSON value is read and written again") {
    for (const std::string text :
         {"null", "true", "false", "0", "-1", "1.5", "\"\"", "\"a b\"", "[]", "{}", "[1,[2],{}]",
          R"({"b":1,"a":[null,{"c":"d"}]})", "9223372036854775807", "-9223372036854775808",
          "18446744073709551615", "1e+300"}) {
        CHECK(again(text) == text);
    }
    CHECK(again(" [ 1 ,\n2 ]\t") == "[1,2]");
}

TEST_CASE("members keep their order and are found by name") {
    const auto value = parsed(R"({"z": 1, "a": {"z": 2}})");
    REQUIRE(value.members() != nullptr);
    CHECK(value.members()->at(0).name == "z");
    CHECK(value.find("a")->find("z")->integer() == 2);
    CHECK(value.find("b") == nullptr);
    CHECK(parsed("[1]").find("a") == nullptr);
}

TEST_CASE("an integer stays one up to 64 bits, and only what fits is given") {
    CHECK(parsed("9223372036854775807").integer() == std::numeric_limits<std::int64_t>::max());
    CHECK(parsed("9223372036854775808").integer() == std::nullopt);
    CHECK(parsed("9223372036854775808").unsigned_integer() == 9223372036854775808U);
    CHECK(parsed("18446744073709551616").unsigned_integer() == std::nullopt);
    CHECK(parsed("18446744073709551616").floating() != nullptr);
    CHECK(parsed("-1").unsigned_integer() == std::nullopt);
    CHECK(parsed("-9223372036854775808").integer() == std::numeric_limits<std::int64_t>::min());
    CHECK(parsed("2.0").integer() == 2);
    CHECK(parsed("2.5").integer() == std::nullopt);
    CHECK(parsed("1e300").integer() == std::nullopt);
    CHECK(parsed("-1e300").integer() == std::nullopt);
    CHECK(parsed("\"1\"").integer() == std::nullopt);
}

TEST_CASE("numbers are equal by their value") {
    CHECK(parsed("1") == parsed("1.0"));
    CHECK(parsed("18446744073709551615") == json::value{std::uint64_t{18446744073709551615U}});
    CHECK(json::value{std::uint64_t{1}} == json::value{1});
    CHECK_FALSE(parsed("18446744073709551615") == parsed("-1"));
    CHECK_FALSE(parsed("9007199254740993") == parsed("9007199254740992.0"));
    CHECK_FALSE(parsed("1") == parsed("true"));
    CHECK_FALSE(parsed("1") == parsed("\"1\""));
    CHECK(parsed("0.1") == json::value{0.1});
}

TEST_CASE("values are equal when their content and its order are") {
    CHECK(parsed(R"({"a": [1, null]})") == parsed(R"({"a":[1.0,null]})"));
    CHECK_FALSE(parsed(R"({"a":1,"b":2})") == parsed(R"({"b":2,"a":1})"));
    CHECK_FALSE(parsed("[1,2]") == parsed("[1]"));
    CHECK_FALSE(parsed("[]") == parsed("{}"));
}

TEST_CASE("a floating number is read to the last bit and written as short as it goes") {
    CHECK(again("0.1") == "0.1");
    CHECK(again("0.1000000000000000055511151231257827") == "0.1");
    CHECK(again("5e-324") == "5e-324");
    CHECK(again("1.7976931348623157e308") == "1.7976931348623157e+308");
    CHECK(again("2.2250738585072011e-308") == "2.225073858507201e-308");
    CHECK(json::to_text(std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("text is escaped where it must be and stays as it is elsewhere") {
    CHECK(again(R"("\u00e4\ud83d\ude00\/\b\f\n\r\t\u0001\\\"")") ==
          "\"\u00e4\U0001F600/\\u0008\\u000c\\n\\r\\t\\u0001\\\\\\\"\"");
    CHECK(parsed(R"("a\u0000b")").text()->size() == 3);
    CHECK(json::to_text(std::string_view{"a\0b", 3}) == R"("a\u0000b")");
    CHECK(json::to_text("\x1b[2J \x7f \u0080 \u009b2J \u00a0") ==
          "\"\\u001b[2J \\u007f \\u0080 \\u009b2J \u00a0\"");
}

TEST_CASE("what is not UTF-8 is written as replacements, a byte each") {
    CHECK(json::to_text("a\xFF\xC3(\xED\xA0\x80z") == "\"a\uFFFD\uFFFD(\uFFFD\uFFFD\uFFFDz\"");
}

TEST_CASE("an error says where it is, in lines and characters") {
    CHECK(error_of("{\n  \"a\": nul}") == "line 2, column 11: Invalid value.");
    CHECK(error_of("") == "line 1, column 1: The document is empty.");
    CHECK(error_of("[\"\u00e4\u00f6\" 1]").starts_with("line 1, column 7: Missing a comma"));
    CHECK(error_of("{}\n{}").starts_with("line 2, column 1: The document root"));
    CHECK(error_of("[1,]") != "");
    CHECK(error_of("[1") != "");
    CHECK(error_of("'a'") != "");
    CHECK(error_of("NaN") != "");
    CHECK(error_of("01") != "");
    CHECK(error_of("1e999").ends_with("Number too big to be stored in double."));
    CHECK(error_of("\"a\nb\"") != "");
    CHECK(error_of("// no\n1") != "");
}

TEST_CASE("a zero byte is no end") {
    CHECK(error_of({"{}\0{}", 5}) == "line 1, column 3: there is a zero byte behind the value");
    CHECK(error_of({"{}\0", 3}) != "");
    CHECK(error_of({"\0", 1}) != "");
    CHECK(error_of({"\"a\0b\"", 5}) != "");
}

TEST_CASE("text that is not UTF-8 is refused") {
    for (const auto* const wrong :
         {"\"\xFF\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\"", "\"\xC3\"",
          "{\"\xFF\": 1}", "\"\\ud800\"", "\"\\udc00x\""}) {
        CAPTURE(wrong);
        CHECK(error_of(wrong) != "");
    }
}

TEST_CASE("a member that is named twice is refused, also by other spelling and far apart") {
    CHECK(error_of("{\"a\": 1,\n \"a\": 2}") ==
          "line 2, column 8: the object that ends here has \"a\" twice");
    CHECK(error_of(R"({"a": 1, "\u0061": 2})") != "");
    CHECK(error_of(R"([{"a": {"b": 1, "c": 2, "b": 3}}])") != "");
    CHECK(error_of(R"([{"a": 1}, {"a": {"a": 2}}])") == "");
    std::string large{"{"};
    for (int at = 0; at < 100'000; ++at) large += "\"k" + std::to_string(at) + "\":1,";
    CHECK(error_of(large + "\"k7\":1}") != "");
    CHECK(error_of(large + "\"other\":1}") == "");
}

TEST_CASE("64 levels are read, 65 are not, and 100,000 end at once") {
    const auto nested = [](std::size_t depth) {
        return repeated("[", depth) + repeated("]", depth);
    };
    CHECK(error_of(nested(64)) == "");
    CHECK(error_of(nested(65)) ==
          "line 1, column 65: objects and lists are nested more than 64 deep");
    CHECK(error_of(nested(100'000)) != "");
    CHECK(error_of(repeated("{\"a\":", 100'000)) != "");
}

TEST_CASE("a number of a million digits ends") {
    CHECK(error_of(repeated("1", 1'000'000)) != "");
    CHECK(parsed("0." + repeated("1", 1'000'000)) == json::value{1.0 / 9});
    CHECK(error_of("1e" + repeated("9", 1'000'000)) != "");
    CHECK(parsed("1e-" + repeated("9", 1'000'000)) == json::value{0});
}
