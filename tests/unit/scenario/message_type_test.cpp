#include "scenario/message_type.hpp"

#include "samples.hpp"
#include <waybill/byte_buffer.hpp>

#include <doctest/doctest.h>

#include <cstring>

namespace {

using namespace scenario_samples;
using scenario::field_kind;
using scenario::message_field;

const std::vector<message_field> every_kind{
    {"flag", field_kind::boolean}, {"a", field_kind::i8},  {"b", field_kind::i16},
    {"c", field_kind::i32},        {"d", field_kind::i64}, {"e", field_kind::u8},
    {"f", field_kind::u16},        {"g", field_kind::u32}, {"h", field_kind::u64},
    {"x", field_kind::f32},        {"y", field_kind::f64}, {"card", field_kind::string},
};

scenario::subscription reader_of(scenario::codec_name codec,
                                 const std::vector<message_field>& fields) {
    scenario::subscription made;
    made.codec = codec;
    made.message = fields;
    return made;
}

scenario::json::value value_of(std::string_view text) {
    return scenario::json::parse(text).value();
}

/// Decodes as a service of that declaration would; "" or the error.
std::string decoded(const scenario::subscription& reader, const scenario::bytes& payload,
                    scenario::message_object& into) {
    const auto type = scenario::make_message_type(reader.message);
    waybill::byte_buffer padded;
    padded.resize(payload.size());
    std::copy(payload.begin(), payload.end(), padded.data());
    waybill::arena kept;
    const auto done =
        scenario::codec_of(reader.codec)->decode(type->type(), &into, padded.bytes(), kept);
    return done ? "" : done.error().message();
}

std::string decoded(const scenario::subscription& reader, std::string_view value) {
    const auto payload = scenario::encode(value_of(value), reader);
    if (!payload) return payload.error();
    scenario::message_object object;
    return decoded(reader, *payload, object);
}

template <class T>
T number_in(const scenario::message_cell& cell) {
    T number{};
    std::memcpy(&number, cell.number.data(), sizeof number);
    return number;
}

constexpr std::array codecs{scenario::codec_name::json, scenario::codec_name::cbor,
                            scenario::codec_name::msgpack};

}  // namespace

TEST_CASE("a declared message goes through each codec and back") {
    for (const auto codec : codecs) {
        CAPTURE(static_cast<int>(codec));
        const auto reader = reader_of(codec, every_kind);
        const auto payload = scenario::encode(
            value_of(R"({"flag": true, "a": -128, "b": -3, "c": 70000, "d": -9223372036854775808,
                         "e": 255, "f": 65535, "g": 4294967295, "h": 18446744073709551615,
                         "x": 1.5, "y": 3, "card": "a \"quoted\" text that is no short one"})"),
            reader);
        REQUIRE(payload);
        scenario::message_object object;
        REQUIRE(decoded(reader, *payload, object) == "");
        CHECK(number_in<bool>(object.cells[0]));
        CHECK(number_in<std::int8_t>(object.cells[1]) == -128);
        CHECK(number_in<std::int16_t>(object.cells[2]) == -3);
        CHECK(number_in<std::int32_t>(object.cells[3]) == 70000);
        CHECK(number_in<std::int64_t>(object.cells[4]) == std::numeric_limits<std::int64_t>::min());
        CHECK(number_in<std::uint8_t>(object.cells[5]) == 255);
        CHECK(number_in<std::uint16_t>(object.cells[6]) == 65535);
        CHECK(number_in<std::uint32_t>(object.cells[7]) == 4294967295U);
        CHECK(number_in<std::uint64_t>(object.cells[8]) == 18446744073709551615U);
        CHECK(number_in<float>(object.cells[9]) == 1.5F);
        CHECK(number_in<double>(object.cells[10]) == 3.0);
        CHECK(object.cells[11].text == "a \"quoted\" text that is no short one");
    }
}

TEST_CASE("a payload that is not the declared message is not decoded") {
    for (const auto codec : codecs) {
        CAPTURE(static_cast<int>(codec));
        const auto reader =
            reader_of(codec, {{"id", field_kind::u8}, {"card", field_kind::string}});
        CHECK(decoded(reader, R"({"id": 7, "card": "x"})") == "");
        CHECK(decoded(reader, R"({"card": "x", "more": 1, "id": 7})") == "");
        CHECK(decoded(reader, R"({"id": 7})") != "");
        CHECK(decoded(reader, R"({"id": 256, "card": "x"})") != "");
        CHECK(decoded(reader, R"({"id": -1, "card": "x"})") != "");
        CHECK(decoded(reader, R"({"id": "7", "card": "x"})") != "");
        CHECK(decoded(reader, R"({"id": 7, "card": 7})") != "");
        CHECK(decoded(reader, R"({"id": true, "card": "x"})") != "");
    }
}

TEST_CASE("an object of another message is read into without a trace of it") {
    const auto reader = reader_of(scenario::codec_name::json, {{"card", field_kind::string}});
    scenario::message_object object;
    CHECK(decoded(reader, bytes_from(R"({"card":"a long text that is on the heap"})"), object) ==
          "");
    CHECK(decoded(reader, bytes_from(R"({"card":""})"), object) == "");
    CHECK(object.cells[0].text.empty());
}

TEST_CASE("32 fields with long names are told apart") {
    std::vector<message_field> fields;
    std::string value = "{";
    for (int at = 0; at < 32; ++at) {
        fields.push_back(
            {"a_field_with_a_rather_long_name_" + std::to_string(at), field_kind::i64});
        value += (at == 0 ? "\"" : ",\"") + fields.back().name + "\":" + std::to_string(at);
    }
    value += "}";
    for (const auto codec : codecs) {
        const auto reader = reader_of(codec, fields);
        scenario::message_object object;
        REQUIRE(decoded(reader, scenario::encode(value_of(value), reader).value(), object) == "");
        for (std::size_t at = 0; at < 32; ++at) {
            CHECK(number_in<std::int64_t>(object.cells[at]) == static_cast<std::int64_t>(at));
        }
        CHECK(decoded(reader, value.substr(0, value.rfind(',')) + "}") != "");
    }
}

TEST_CASE("a codec without declared fields reads any object") {
    for (const auto codec : codecs) {
        CHECK(decoded(reader_of(codec, {}), R"({"a": 1, "b": "c"})") == "");
        CHECK(decoded(reader_of(codec, {}), "{}") == "");
    }
}

TEST_CASE("raw and JSON readers get any value as compact text") {
    for (const auto codec : {scenario::codec_name::raw, scenario::codec_name::json}) {
        const auto reader = reader_of(codec, {{"id", field_kind::u64}});
        CHECK(text_of(scenario::encode(value_of(R"({"id": [1, null]})"), reader).value()) ==
              R"({"id":[1,null]})");
        CHECK(text_of(scenario::encode(value_of("null"), reader).value()) == "null");
    }
}

TEST_CASE("what another codec cannot write is an error that says so") {
    const auto reader = reader_of(scenario::codec_name::cbor, {});
    const auto error_of = [&](std::string_view text) {
        const auto payload = scenario::encode(value_of(text), reader);
        return payload ? "" : payload.error();
    };
    CHECK(error_of("[1]") == "the codec cbor writes an object of at most 32 members here");
    CHECK(
        error_of(R"({"a": [1]})") ==
        "the member \"a\" is a list, and the codec cbor writes text, numbers, true and false here");
    CHECK(error_of(R"({"a": null})") != "");
    std::string many = "{\"k\":1";
    for (int at = 0; at < 32; ++at) many += ",\"k" + std::to_string(at) + "\":1";
    CHECK(error_of(many + "}") != "");
}
