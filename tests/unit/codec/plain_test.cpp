#include "samples.hpp"

#include <doctest/doctest.h>

using namespace samples;

TEST_CASE("codecs are one object for the process, with a name and a content type") {
    CHECK(waybill::codecs::json() == waybill::codecs::json());
    CHECK(waybill::codecs::json()->name() == "json");
    CHECK(waybill::codecs::json()->content_type() == "application/json");
    CHECK(waybill::codecs::cbor()->name() == "cbor");
    CHECK(waybill::codecs::cbor()->content_type() == "application/cbor");
    CHECK(waybill::codecs::raw()->name() == "raw");
    CHECK(waybill::codecs::text()->name() == "text");
}

TEST_CASE("a codec says which types it takes") {
    const auto& record = waybill::value_type_of<line>();
    const auto& text = waybill::value_type_of<std::string>();
    const auto& bytes = waybill::value_type_of<std::vector<std::byte>>();
    CHECK(waybill::codecs::json()->supports(record));
    CHECK(waybill::codecs::cbor()->supports(bytes));
    CHECK(waybill::codecs::raw()->supports(bytes));
    CHECK(waybill::codecs::raw()->supports(text));
    CHECK(!waybill::codecs::raw()->supports(record));
    CHECK(waybill::codecs::text()->supports(text));
    CHECK(!waybill::codecs::text()->supports(bytes));
    CHECK(error_of(waybill::decode<line>(waybill::codecs::text(), bytes_of("x"))) ==
          "payload: a line is not text. name another codec");
}

TEST_CASE("raw carries any bytes, empty ones too") {
    const auto bytes = from_hex("00ffc328");
    CHECK(waybill::decode<std::vector<std::byte>>(waybill::codecs::raw(), bytes) == bytes);
    CHECK(waybill::encode(waybill::codecs::raw(), bytes) == bytes);
    CHECK(waybill::decode<std::string>(waybill::codecs::raw(), {}) == "");
    CHECK(waybill::encode(waybill::codecs::raw(), std::string{"ab"}) == from_hex("6162"));
}

TEST_CASE("text is checked for UTF-8 both ways") {
    CHECK(waybill::decode<std::string>(waybill::codecs::text(), bytes_of("Zo\u00eb")) ==
          "Zo\u00eb");
    CHECK(error_of(waybill::decode<std::string>(waybill::codecs::text(), from_hex("6162c328"))) ==
          "payload, byte 2: expected UTF-8, found `.(`");
    CHECK(!waybill::encode(waybill::codecs::text(), std::string{"\xC3\x28"}));
}

TEST_CASE("a buffer keeps its content when it grows and its capacity when cleared") {
    waybill::byte_buffer buffer;
    CHECK(buffer.bytes().empty());
    for (int i = 0; i < 1000; ++i) buffer.append("0123456789");
    CHECK(buffer.size() == 10000);
    CHECK(std::to_integer<char>(buffer.bytes()[9999]) == '9');
    const std::size_t capacity = buffer.capacity();
    buffer.clear();
    CHECK(buffer.empty());
    CHECK(buffer.capacity() == capacity);
    buffer.append("x");
    const waybill::byte_buffer moved = std::move(buffer);
    CHECK(moved.size() == 1);
}
