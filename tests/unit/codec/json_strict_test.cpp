// codecs::json({.strict = true}): what nobody reads is held to the whole grammar.
#include "byte_edits.hpp"
#include "samples.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace samples;

namespace json_strict {

const waybill::codec& strict() {
    static const waybill::codec only = waybill::codecs::json({.strict = true});
    return only;
}

template <class T>
std::expected<T, waybill::error> from_strict(std::string_view text) {
    return waybill::decode<T>(strict(), bytes_of(text));
}

/// An object in which `value` is skipped at byte 5.
std::string beside(std::string_view value) {
    return R"({"x":)" + std::string{value} + R"(,"id":7})";
}

TEST_CASE("json, strict: a codec of its own that writes as the other does") {
    CHECK(strict() == waybill::codecs::json({.strict = true}));
    CHECK(strict() != waybill::codecs::json());
    CHECK(waybill::codecs::json({.strict = false}) == waybill::codecs::json());
    CHECK(strict()->name() == "json");
    CHECK(strict()->content_type() == "application/json");
    CHECK(waybill::encode(strict(), full_order()) ==
          waybill::encode(waybill::codecs::json(), full_order()));
    CHECK(from_strict<order>(to_json(full_order())) == full_order());
}

TEST_CASE("json, strict: a misspelled value that nobody reads is an error where it starts") {
    for (const std::string_view number :
         {"01",   "-01",     "00",        "-",   "--1",   "-a",  "1.",      "1..2",
          "1.e1", "1.2.3",   "1e",        "1E",  "1e+",   "1e-", "1ee",     "1e1.5",
          "0x1",  "1_000",   "1f",        "1a",  "1\"\"", "1-2", "1+1",     "-.5",
          "0e",   "2.5e+-1", "-Infinity", "1;2", "1/2",   "1'",  "1\\u0030"}) {
        CAPTURE(number);
        CHECK(from_json<id_only>(beside(number))->id == 7);
        const auto error = error_of(from_strict<id_only>(beside(number)));
        CHECK(error.starts_with("payload, byte 5: expected a number, found `" +
                                std::string{number.substr(0, 8)}));
    }
    for (const std::string_view literal :
         {"t", "tru", "truee", "true1", "tRUE", "true_", "true.", "f",        "fals",  "falsey",
          "n", "nul", "nulll", "nan",   "nil",  "none",  "null0", "true\"\"", "null-", "tru e"}) {
        CAPTURE(literal);
        const bool skipped = literal != "tru e";  // two tokens
        CHECK(from_json<id_only>(beside(literal)).has_value() == skipped);
        const auto error = error_of(from_strict<id_only>(beside(literal)));
        CHECK(error.starts_with("payload, byte 5: expected true, false or null, found `" +
                                std::string{literal}));
    }
    for (const std::string_view text : {R"("\x")",
                                        R"("\ ")",
                                        R"("\'")",
                                        R"("\0")",
                                        R"("\a")",
                                        R"("\U0041")",
                                        R"("\u")",
                                        R"("\u1")",
                                        R"("\u12")",
                                        R"("\u123")",
                                        R"("\u123g")",
                                        R"("\u-123")",
                                        R"("\u+123")",
                                        R"("\u 123")",
                                        R"("\u0x12")",
                                        R"("\ud800")",
                                        R"("\udbff")",
                                        R"("\udc00")",
                                        R"("\udfff")",
                                        R"("\ud800\ud800")",
                                        R"("\ud800\u0041")",
                                        R"("\udc00\ud800")",
                                        R"("\ud800\n")",
                                        R"("\ud800 \udc00")",
                                        R"("\ud800udc00")",
                                        R"("\ud800\\udc00")",
                                        R"("good\n, then\q")",
                                        R"("a rather long text in front of \z")"}) {
        CAPTURE(text);
        CHECK(from_json<id_only>(beside(text))->id == 7);
        const auto error = error_of(from_strict<id_only>(beside(text)));
        CHECK(error.starts_with("payload, byte 5: expected valid escapes, found `" +
                                std::string{text.substr(0, 3)}));
    }
}

TEST_CASE("json, strict: keys and values inside of what is skipped are held to the grammar") {
    struct inside {
        std::string_view value;
        std::string_view error;
    };
    for (const auto& [value, error] : {
             inside{R"([1,[02]])", "payload, byte 9: expected a number, found `02]],\"id\":7}`"},
             inside{R"({"a":{"b":nul}})",
                    "payload, byte 15: expected true, false or null, found `nul}},\"id\":7}`"},
             inside{R"({"a":1,"\q":2})",
                    R"(payload, byte 12: expected valid escapes, found `"\q":2},"id":7}`)"},
             inside{R"([{"\ud800":2}])",
                    R"(payload, byte 7: expected valid escapes, found `"\ud800":2}],"id":7}`)"},
         }) {
        CAPTURE(value);
        CHECK(from_json<id_only>(beside(value))->id == 7);
        CHECK(error_of(from_strict<id_only>(beside(value))) == error);
    }
    // The path is that of the object in which the value is unknown.
    CHECK(error_of(from_strict<std::vector<id_only>>(R"([{"id":1},{"id":2,"x":-}])")) ==
          "[1], byte 22: expected a number, found `-}]`");
}

TEST_CASE("json, strict: what is well spelled is skipped, however large or long") {
    for (const std::string_view value : {"0",
                                         "-0",
                                         "0.0",
                                         "-0.0e-0",
                                         "1E+2",
                                         "10e10",
                                         "1e999",
                                         "-1e-999",
                                         "123456789012345678901234567890",
                                         "0.1234567890123456789012345678901234567890",
                                         "1e00000000000000000000001",
                                         "true",
                                         "false",
                                         "null",
                                         "{}",
                                         "[]",
                                         "[ ]",
                                         "{ }",
                                         "[true,false,null]",
                                         "[1 ,2\n,3\t]",
                                         R"("")",
                                         R"("\"\\\/\b\f\n\r\t")",
                                         R"("\u0000\uffff\uD834\udd1E")",
                                         R"("ünï\u00e9")",
                                         R"({"\u0061\n":[{"":0}]})"}) {
        CAPTURE(value);
        CHECK(from_strict<id_only>(beside(value))->id == 7);
    }
    const std::string deepest = repeated(63, "[") + "1" + repeated(63, "]");
    CHECK(from_strict<id_only>(beside(deepest))->id == 7);
    CHECK(error_of(from_strict<id_only>(beside('[' + deepest + ']'))) ==
          "payload, byte 68: expected at most 64 levels, found `[1]]]]]]]]]]]]]]]]]]]]]]`...");
}

TEST_CASE("json, strict: a string that is skipped is held to what a string that is read is") {
    const auto check = [](const std::string& text) {
        CAPTURE(text);
        REQUIRE(from_strict<id_only>(beside(text)).has_value() ==
                from_json<std::string>(text).has_value());
    };
    constexpr std::string_view digits = "0123456789aBcDeF";
    for (unsigned unit = 0; unit < 0x10000; ++unit) {
        const std::string escape = {'\\',
                                    'u',
                                    digits[unit >> 12],
                                    digits[unit >> 8 & 0xf],
                                    digits[unit >> 4 & 0xf],
                                    digits[unit & 0xf]};
        check('"' + escape + '"');
        if ((unit & 0xff) > 1) continue;
        check("\"\\ud801" + escape + "\"");
        check('"' + escape + "\\udc37\"");
    }
    for (unsigned letter = 0; letter < 256; ++letter)
        for (const std::string_view rest : {"", "0", "00", "000", "d800", "\\", "\\\\"})
            check(std::string{"\"\\"} + static_cast<char>(letter) + std::string{rest} + '"');
}

/// Whether `text` is an object as another reader sees it, which takes a zero byte for the end.
bool is_object(const std::string& text) {
    return text.find('\0') == std::string::npos && nlohmann::json::accept(text) &&
           nlohmann::json::parse(text).is_object();
}

void check_by_oracle(const std::string& text) {
    CAPTURE(text);
    const bool good = is_object(text);
    REQUIRE(from_strict<nothing>(text).has_value() == good);
    if (good) REQUIRE(from_json<nothing>(text));
}

TEST_CASE("json, strict: one byte more, less or other than a good text is good if it is JSON") {
    for (const std::string_view sample :
         {R"({"a":[0,-1.5e+7,20E1,true,{}],"\u00e9\n":"\\\ud83d\ude00","":null})",
          R"( { "x" : [ false , [ ] , -0.25 , 1e-3 ] , "k\"" : { "\ud834\udd1e" : "a\/b" } } )"}) {
        const std::string good{sample};
        REQUIRE(is_object(good));
        check_by_oracle(good);
        support::for_each_byte_edit(good, check_by_oracle);
    }
}

}  // namespace json_strict
