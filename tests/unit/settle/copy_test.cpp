#include "settle/copy.hpp"

#include <waybill/headers.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace std::chrono_literals;

namespace copy_test {

using waybill::failure_record;
using waybill::headers;
using waybill::settle::build_dead_letter;
using waybill::settle::build_retry_copy;
using waybill::settle::copy_facts;

headers retry_copy(const headers& original, std::uint32_t carried,
                   std::string_view count_header = {}, std::int64_t expires_at_ms = 0) {
    waybill::byte_buffer made;
    build_retry_copy(made,
                     copy_facts{original.packed(), count_header, "root", carried, expires_at_ms},
                     "orders");
    return headers::copy_of(made.bytes());
}

headers dead_letter(const headers& original, std::uint32_t carried, std::size_t budget = 4096) {
    failure_record record;
    waybill::byte_buffer place;
    waybill::pack_place(place, "orders", "charge", "host");
    record.place = place.bytes();
    record.at = 5ms;
    record.attempts = carried;
    waybill::byte_buffer made;
    build_dead_letter(made, copy_facts{original.packed(), {}, "root", carried, 99}, record, budget);
    return headers::copy_of(made.bytes());
}

std::size_t how_many(const headers& all, std::string_view name) {
    std::size_t count = 0;
    for (const auto& entry : all) count += waybill::detail::same_name(entry.name, name) ? 1 : 0;
    return count;
}

TEST_CASE("a copy of a message without headers carries the count, the root and the reader") {
    CHECK(retry_copy({}, 1) == headers{{"waybill-retry-count", "1"},
                                       {"waybill-id", "root"},
                                       {"waybill-copy", "root/1"},
                                       {"waybill-retry-source", "orders"}});
}

TEST_CASE("the user's headers stay in front, in order, duplicates and types included") {
    const auto bytes = std::as_bytes(std::span{"\x00\xFF\x10", 3});
    const headers original{{"tag", "a"},  {"n", 7},       {"tag", "b"}, {"b", true},
                           {"empty", ""}, {"bin", bytes}, {"t", "żó"},  {"none", nullptr}};
    const auto made = retry_copy(original, 1);
    REQUIRE(made.packed().size() > original.packed().size());
    CHECK(headers::borrow(made.packed().first(original.packed().size())) == original);
}

TEST_CASE("a copy of a copy replaces the runtime's headers and appends none") {
    headers all{{"tag", "a"}, {"tag", "b"}, {"trace", 1}};
    const auto first = retry_copy(all, 1);
    for (std::uint32_t round = 1; round <= 60; ++round) {
        all = retry_copy(all, round);
        REQUIRE(all.count() == first.count());
    }
    CHECK(all.text("waybill-retry-count") == "60");
    CHECK(all.text("waybill-copy") == "root/60");
    CHECK(how_many(all, "waybill-retry-count") == 1);
    CHECK(how_many(all, "waybill-retry-source") == 1);
    CHECK(how_many(all, "tag") == 2);
}

TEST_CASE("counts and sources that came twice, or in another case, are replaced by one") {
    const headers original{{"WAYBILL-retry-count", "1"}, {"a", "1"},
                           {"waybill-retry-count", 9U},  {"Waybill-Retry-Source", "x"},
                           {"waybill-due", "77"},        {"waybill-id", "older"}};
    const auto made = retry_copy(original, 2);
    CHECK(made == headers{{"a", "1"},
                          {"waybill-retry-count", "2"},
                          {"waybill-id", "root"},
                          {"waybill-copy", "root/2"},
                          {"waybill-retry-source", "orders"}});
}

TEST_CASE("a count under another name is replaced there") {
    const headers original{{"X-Ruststream-Retry-Count", "1"}, {"a", "1"}};
    const auto made = retry_copy(original, 2, "x-ruststream-retry-count");
    CHECK(made == headers{{"a", "1"},
                          {"x-ruststream-retry-count", "2"},
                          {"waybill-id", "root"},
                          {"waybill-copy", "root/2"},
                          {"waybill-retry-source", "orders"}});
}

TEST_CASE("a retry copy has its time to live once, and the record of an earlier death") {
    const headers original{
        {"waybill-expires-at", "99"}, {"waybill-dead-reason", "attempts"}, {"waybill-cc", "x"}};
    const auto made = retry_copy(original, 1, {}, 99);
    CHECK(made.text("waybill-expires-at") == "99");
    CHECK(how_many(made, "waybill-expires-at") == 1);
    CHECK(made.text("waybill-dead-reason") == "attempts");
    CHECK(made.text("waybill-cc") == "x");
}

TEST_CASE("a dead letter has the headers as they arrived, the count and the record") {
    const headers original{{"tag", "a"},
                           {"tag", "b"},
                           {"waybill-retry-count", "4"},
                           {"waybill-retry-source", "orders"},
                           {"waybill-due", "7"}};
    const auto made = dead_letter(original, 5);
    CHECK(
        headers::borrow(made.packed().first(headers{{"tag", "a"}, {"tag", "b"}}.packed().size())) ==
        headers{{"tag", "a"}, {"tag", "b"}});
    CHECK(made.text("waybill-retry-count") == "5");
    CHECK(made.text("waybill-copy") == "root/5");
    CHECK(made.text("waybill-dead-attempts") == "5");
    CHECK_FALSE(made.contains("waybill-retry-source"));
    CHECK_FALSE(made.contains("waybill-due"));
}

TEST_CASE("a dead letter has no time to live") {
    CHECK_FALSE(dead_letter({{"waybill-expires-at", "99"}}, 1).contains("waybill-expires-at"));
}

TEST_CASE("a second death replaces the record") {
    const headers original{{"waybill-dead-reason", "decode"},
                           {"waybill-dead-error", "old"},
                           {"a", "1"},
                           {"waybill-dead-host", "elsewhere"}};
    const auto made = dead_letter(original, 3);
    CHECK(made.text("waybill-dead-reason") == "attempts");
    CHECK(made.text("waybill-dead-host") == "host");
    CHECK_FALSE(made.contains("waybill-dead-error"));
    CHECK(how_many(made, "waybill-dead-reason") == 1);
    CHECK((*made.begin()).name == "a");
}

TEST_CASE("a budget of 0 leaves the record out and nothing else") {
    CHECK(dead_letter({{"a", "1"}}, 2, 0) == headers{{"a", "1"},
                                                     {"waybill-retry-count", "2"},
                                                     {"waybill-id", "root"},
                                                     {"waybill-copy", "root/2"}});
}

}  // namespace copy_test
