#include "samples.hpp"

#include <doctest/doctest.h>

using namespace samples;

namespace {

/// Decodes each payload into one object and into a fresh one, and wants both the same.
template <class T>
void check_reuse(const waybill::codec& with, const std::vector<T>& values) {
    const auto& about = waybill::value_type_of<T>();
    T reused{};
    for (int round = 0; round < 3; ++round) {
        for (const T& value : values) {
            waybill::byte_buffer payload;
            REQUIRE(with->encode(about, &value, payload));
            REQUIRE(read_into(reused, with, payload.bytes()));
            CHECK(reused == value);
        }
    }
}

std::vector<order> different_orders() {
    order shorter = full_order();
    shorter.lines.pop_back();
    shorter.lines[0].note.reset();
    shorter.gift.reset();
    shorter.flags.clear();
    shorter.blob.pop_back();
    order longer = full_order();
    for (int i = 0; i < 100; ++i)
        longer.lines.push_back({std::string(40, 'x'), 5, std::string(50, 'y')});
    return {order{}, full_order(), shorter, longer, order{}, shorter, full_order()};
}

}  // namespace

TEST_CASE("an object that is read into again holds just the new message") {
    check_reuse(waybill::codecs::json(), different_orders());
    check_reuse(waybill::codecs::cbor(), different_orders());
    check_reuse(waybill::codecs::msgpack(), different_orders());
    const std::vector<tree> trees{{1, {{2, {{3, {}}}}, {4, {}}}}, {5, {}}, {6, {{7, {}}, {8, {}}}}};
    check_reuse(waybill::codecs::json(), trees);
    check_reuse(waybill::codecs::cbor(), trees);
    check_reuse(waybill::codecs::msgpack(), trees);
    check_reuse<std::string>(waybill::codecs::text(),
                             {"long enough for the heap, at last", "", "x"});
}

TEST_CASE("an absent optional is what T{} has, a null one is empty") {
    const std::string head =
        R"({"id":1,"customer":"","lines":[],"status":"open","blob":"","flags":[],)"
        R"("weight":0,"rate":0,"express":false)";
    CHECK(from_json<order>(head + "}")->shelf == std::int16_t{4});
    CHECK(!from_json<order>(head + R"(,"shelf":null})")->shelf);
    CHECK(from_json<order>(head + R"(,"shelf":9})")->shelf == std::int16_t{9});

    order reused;
    for (const auto& [tail, shelf] :
         {std::pair{R"(,"shelf":9})", 9}, std::pair{"}", 4}, std::pair{R"(,"shelf":-1})", -1}}) {
        waybill::byte_buffer payload;
        payload.append(head + tail);
        REQUIRE(read_into(reused, waybill::codecs::json(), payload.bytes()));
        CHECK(reused.shelf == shelf);
    }
}

TEST_CASE("an object may be read into after a failure") {
    const auto& about = waybill::value_type_of<order>();
    const order wanted = full_order();
    for (const auto& with :
         {waybill::codecs::json(), waybill::codecs::cbor(), waybill::codecs::msgpack()}) {
        waybill::byte_buffer payload;
        REQUIRE(with->encode(about, &wanted, payload));
        order reused;
        for (std::size_t size = 0; size < payload.size(); ++size) {
            CAPTURE(size);
            CHECK(!read_into(reused, with, payload.bytes().first(size)));
        }
        REQUIRE(read_into(reused, with, payload.bytes()));
        CHECK(reused == wanted);
    }
}
