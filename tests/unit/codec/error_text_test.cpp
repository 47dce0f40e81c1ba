#include "samples.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace samples;

namespace samples {

struct a_type_with_quite_a_long_name_as_types_in_some_code_bases_have_them_and_more {
    std::uint64_t a_member_with_quite_a_long_name_as_members_in_some_code_bases_have_them_and_more =
        0;
};

struct outer {
    std::vector<a_type_with_quite_a_long_name_as_types_in_some_code_bases_have_them_and_more>
        another_member_with_quite_a_long_name_as_members_in_some_code_bases_have_them;
};

bool well_formed(const std::string& text) {
    return waybill::decode<std::string>(waybill::codecs::text(), bytes_of(text)).has_value();
}

}  // namespace samples

TEST_CASE("an error is one line: where, what, what to do") {
    waybill::error failure{waybill::errc::decode, "here", "it broke", "mend it"};
    CHECK(failure.message() == "here: it broke. mend it");
    failure.fix.clear();
    CHECK(failure.message() == "here: it broke");
    std::ostringstream stream;
    stream << failure;
    CHECK(stream.str() == "decode: here: it broke");
}

TEST_CASE("the message of a decode error is short, valid and quotes little of the payload") {
    const std::string wrong = "\"\u20ac\u20ac\u20ac" + std::string(500, 'x') + "\"";
    const std::string text =
        "{\"another_member_with_quite_a_long_name_as_members_in_some_code_bases_have_them\":[{"
        "\"a_member_with_quite_a_long_name_as_members_in_some_code_bases_have_them_and_more\":" +
        wrong + "}]}";
    const auto failed = from_json<outer>(text);
    REQUIRE(!failed);
    const std::string message = failed.error().message();
    CAPTURE(message);
    CHECK(message.size() <= 200);
    CHECK(well_formed(message));
    CHECK(message.find(std::string(33, 'x')) == std::string::npos);
    CHECK(message.find("_and_more, byte ") != std::string::npos);
}

TEST_CASE("whatever breaks, the message stays short and valid") {
    const std::string good = to_json(full_order());
    for (std::size_t place = 0; place < good.size(); ++place) {
        for (const char letter : {'\0', '\xff', '"', '}', '\\', '9', '\xc3'}) {
            waybill::byte_buffer payload;
            payload.append(good);
            payload.data()[place] = static_cast<std::byte>(letter);
            order object;
            const auto done = read_into(object, waybill::codecs::json(), payload.bytes());
            if (done) continue;
            CHECK(done.error().message().size() <= 200);
            CHECK(well_formed(done.error().message()));
        }
    }
}

TEST_CASE("any change of a CBOR payload is read or refused, never worse") {
    waybill::byte_buffer good;
    const order sample = full_order();
    REQUIRE(waybill::codecs::cbor()->encode(waybill::value_type_of<order>(), &sample, good));
    for (std::size_t place = 0; place < good.size(); ++place) {
        for (unsigned value = 0; value < 256; ++value) {
            waybill::byte_buffer payload;
            payload.append(good.data(), good.size());
            payload.data()[place] = static_cast<std::byte>(value);
            order object;
            const auto done = read_into(object, waybill::codecs::cbor(), payload.bytes());
            if (done) continue;
            REQUIRE(done.error().message().size() <= 200);
            REQUIRE(well_formed(done.error().message()));
        }
    }
}
