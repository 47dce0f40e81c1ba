#include "scenario/tag.hpp"

#include <waybill/headers.hpp>

#include <doctest/doctest.h>

#include <vector>

using waybill::headers;
namespace tag = waybill::scenario::tag;

namespace {

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
    return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("what was tagged is left byte for byte when the tag stands last") {
    const headers plain{{"a", "1"}, {"b", 2}};
    const auto tagged = tag::onto(plain.packed(), 7);
    std::vector<std::byte> room;
    CHECK(tag::of(tagged) == 7U);
    CHECK(copy_of(tag::without(tagged, room)) == copy_of(plain.packed()));
    CHECK(room.empty());
}

TEST_CASE("a tag is found wherever a server puts it, and as a number of either sign") {
    headers moved{{"a", "1"}};
    moved.append("waybill-sim-id", std::int64_t{12}).append("b", 2);
    std::vector<std::byte> room;
    CHECK(tag::of(moved.packed()) == 12U);
    const auto left = copy_of(tag::without(moved.packed(), room));
    CHECK(left == copy_of(headers{{"a", "1"}, {"b", 2}}.packed()));
}

TEST_CASE("without a tag nothing is taken out") {
    const headers plain{{"a", "1"}};
    std::vector<std::byte> room;
    CHECK_FALSE(tag::of(plain.packed()));
    CHECK(copy_of(tag::without(plain.packed(), room)) == copy_of(plain.packed()));
}
