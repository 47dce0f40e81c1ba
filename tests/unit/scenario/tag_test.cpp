#include "scenario/tag.hpp"

#include <waybill/headers.hpp>

#include <doctest/doctest.h>

#include <cstdint>
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
    const auto tagged = tag::onto(plain.packed(), 3, 7);
    std::vector<std::byte> room;
    CHECK(tag::of(tagged, 3) == 7U);
    CHECK(copy_of(tag::without(tagged, room)) == copy_of(plain.packed()));
    CHECK(room.empty());
}

TEST_CASE("a tag is found wherever a server puts it, and as a number of either sign") {
    headers moved{{"a", "1"}};
    moved.append("waybill-sim-id", std::int64_t{12}).append("b", 2);
    std::vector<std::byte> room;
    CHECK(tag::of(moved.packed(), tag::the_only_run) == 12U);
    const auto left = copy_of(tag::without(moved.packed(), room));
    CHECK(left == copy_of(headers{{"a", "1"}, {"b", 2}}.packed()));
}

TEST_CASE("without a tag nothing is taken out") {
    const headers plain{{"a", "1"}};
    std::vector<std::byte> room;
    CHECK_FALSE(tag::of(plain.packed(), tag::the_only_run));
    CHECK_FALSE(tag::is_of_another(plain.packed(), 3));
    CHECK(copy_of(tag::without(plain.packed(), room)) == copy_of(plain.packed()));
}

TEST_CASE("the tag of one run is none in another") {
    for (const std::uint32_t run : {0U, 3U, 0x7fffffffU}) {
        const auto tagged = tag::onto({}, run, 7);
        CHECK(tag::of(tagged, run) == 7U);
        CHECK_FALSE(tag::is_of_another(tagged, run));
        CHECK_FALSE(tag::of(tagged, 4));
        CHECK(tag::is_of_another(tagged, 4));
    }
}
