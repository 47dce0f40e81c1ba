#include "settle/count.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace count_test {

using waybill::header_value;
using waybill::headers;
using waybill::settle::attempt_of;
using waybill::settle::counting;
using waybill::settle::history_note;
using waybill::settle::read_history;

counting by_us(std::uint32_t cap) {
    counting by;
    by.reader = "orders";
    by.cap = cap;
    return by;
}

headers counted(header_value count, std::string_view source = {}) {
    headers all{{"waybill-retry-count", count}};
    if (!source.empty()) all.append("waybill-retry-source", source);
    return all;
}

TEST_CASE("a message without headers, or without any of ours, has no history") {
    const auto none = read_history({}, by_us(5));
    CHECK(none.carried == 0);
    CHECK_FALSE(none.own);
    CHECK_FALSE(none.foreign);
    CHECK(none.note == history_note::none);

    const headers others{{"x-death", "9"}, {"x-delivery-count", 9}, {"retry-count", "9"}};
    CHECK(read_history(others.packed(), by_us(5)).carried == 0);
}

TEST_CASE("a count with our own retry source, or with *, is ours") {
    for (const std::string source : {"orders", "*"}) {
        const auto sent = counted("3", source);
        const auto past = read_history(sent.packed(), by_us(5));
        CAPTURE(source);
        CHECK(past.carried == 3);
        CHECK(past.own);
        CHECK_FALSE(past.foreign);
        CHECK(past.note == history_note::none);
    }
}

TEST_CASE("an earlier identity of the reader is ours too") {
    auto by = by_us(5);
    by.formerly = {"orders.v1", "orders.v2"};
    const auto sent = counted("3", "orders.v2");
    CHECK(read_history(sent.packed(), by).own);
    CHECK(read_history(sent.packed(), by).carried == 3);
    CHECK(read_history(sent.packed(), by_us(5)).foreign);
}

TEST_CASE("our own count above the cap, or too long to read, is the cap") {
    for (const std::string number :
         {"5", "6", "4294967295", "4294967296", "18446744073709551615", "18446744073709551616"}) {
        CAPTURE(number);
        const auto sent = counted(number, "orders");
        CHECK(read_history(sent.packed(), by_us(5)).carried == 5);
    }
    const auto endless = counted(std::string(60'000, '9'), "orders");
    CHECK(read_history(endless.packed(), by_us(5)).carried == 5);
    CHECK(read_history(endless.packed(), by_us(5)).note == history_note::none);
    const auto padded = counted(std::string(1000, '0') + "3", "orders");
    CHECK(read_history(padded.packed(), by_us(5)).carried == 3);
}

TEST_CASE("without a cap the largest count still leaves a number for the attempt") {
    const auto sent = counted("18446744073709551616", "orders");
    const auto past = read_history(sent.packed(), by_us(0));
    CHECK(past.carried == UINT32_MAX - 1);
    CHECK(attempt_of(past.carried, 0) == UINT32_MAX);
    CHECK(attempt_of(past.carried, 7) == UINT32_MAX);
    CHECK(attempt_of(0, 0) == 1);
    CHECK(attempt_of(3, 2) == 6);
}

TEST_CASE("another reader's copy is foreign, whatever its count") {
    for (const std::string count : {"0", "1", "4", "5", "900"}) {
        const auto sent = counted(count, "audit");
        const auto past = read_history(sent.packed(), by_us(5));
        CAPTURE(count);
        CHECK(past.foreign);
        CHECK_FALSE(past.own);
        CHECK(past.carried <= 4);  // one attempt is left, and no handler sees one above the cap
    }
    const auto near_miss = counted("1", "Orders");
    CHECK(read_history(near_miss.packed(), by_us(5)).foreign);
    headers odd{{"waybill-retry-count", "1"}, {"waybill-retry-source", 7}};
    CHECK(read_history(odd.packed(), by_us(5)).foreign);
}

TEST_CASE("a count without a source is another framework's copy, below the cap") {
    CHECK(read_history(counted("4").packed(), by_us(5)).carried == 4);
    CHECK(read_history(counted("4").packed(), by_us(0)).carried == 4);
    CHECK_FALSE(read_history(counted("4").packed(), by_us(5)).own);
}

TEST_CASE("a count without a source at or above the cap is another's history and counts as 0") {
    for (const std::string count : {"5", "6", "18446744073709551616"}) {
        const auto sent = counted(count);
        const auto past = read_history(sent.packed(), by_us(5));
        CAPTURE(count);
        CHECK(past.carried == 0);
        CHECK(past.note == history_note::others_history);
        CHECK_FALSE(past.own);
    }
}

TEST_CASE("a dead letter, read as such or moved back, starts anew") {
    for (std::string_view field :
         {"waybill-dead-reason", "waybill-dead-count", "waybill-dead-handler"}) {
        headers sent{{"waybill-retry-count", "5"}, {field, "1"}};
        for (const std::uint32_t cap : {0U, 3U, 5U, 10U}) {
            const auto past = read_history(sent.packed(), by_us(cap));
            CAPTURE(field);
            CAPTURE(cap);
            CHECK(past.carried == 0);
            CHECK(past.note == history_note::none);
            CHECK(past.deaths == 1);
        }
    }
}

TEST_CASE("a retry copy of a dead letter keeps counting") {
    headers sent{{"waybill-dead-reason", "attempts"}, {"waybill-dead-count", "2"}};
    sent.append("waybill-retry-count", "3").append("waybill-retry-source", "orders");
    const auto past = read_history(sent.packed(), by_us(5));
    CHECK(past.carried == 3);
    CHECK(past.own);
    CHECK(past.deaths == 2);
}

TEST_CASE("a count that is no number counts as 0 and is noted") {
    const std::vector<std::string> texts = {"",    " ",     "-1",  "+1", "1.0", "1 ",
                                            " 1",  "0x1",   "1e2", "१",  "NaN", "1,000",
                                            "1\n", "three", "--1", "٣"};
    for (const auto& text : texts) {
        for (const std::string source : {"", "orders"}) {
            const auto sent = counted(text, source);
            const auto past = read_history(sent.packed(), by_us(5));
            CAPTURE(text);
            CHECK(past.carried == 0);
            CHECK(past.note == history_note::malformed_count);
        }
    }
    const auto with_zero = counted(std::string_view{"1\0", 2}, "orders");
    CHECK(read_history(with_zero.packed(), by_us(5)).note == history_note::malformed_count);
}

TEST_CASE("a count of another type counts as 0 and is noted, an integer of any sign is read") {
    const auto bytes = std::as_bytes(std::span{"3", 1});
    for (const header_value value : {header_value{nullptr}, header_value{true}, header_value{3.0},
                                     header_value{-1}, header_value{bytes}}) {
        const auto sent = counted(value, "orders");
        CHECK(read_history(sent.packed(), by_us(5)).carried == 0);
        CHECK(read_history(sent.packed(), by_us(5)).note == history_note::malformed_count);
    }
    for (const header_value value : {header_value{3}, header_value{3U}, header_value{"3"}}) {
        const auto sent = counted(value, "orders");
        CHECK(read_history(sent.packed(), by_us(5)).carried == 3);
        CHECK(read_history(sent.packed(), by_us(5)).note == history_note::none);
    }
    CHECK(read_history(counted(UINT64_MAX, "orders").packed(), by_us(5)).carried == 5);
}

TEST_CASE("the first of two counts is the one that is read") {
    headers sent{{"Waybill-Retry-Count", "2"}, {"waybill-retry-count", "4"}};
    sent.append("waybill-retry-source", "orders").append("waybill-retry-source", "audit");
    CHECK(read_history(sent.packed(), by_us(5)).carried == 2);
    CHECK(read_history(sent.packed(), by_us(5)).own);
}

TEST_CASE("another name for the count is read instead of ours, in any case") {
    auto by = by_us(5);
    by.count_header = "x-ruststream-retry-count";
    const headers sent{{"waybill-retry-count", "4"}, {"X-RustStream-Retry-Count", "2"}};
    CHECK(read_history(sent.packed(), by).carried == 2);
    const headers ours_only{{"waybill-retry-count", "4"}};
    CHECK(read_history(ours_only.packed(), by).carried == 0);
    CHECK(read_history(sent.packed(), by_us(5)).carried == 4);
}

TEST_CASE("times, deaths and the root are read, and what is no number is as if absent") {
    const headers sent{{"waybill-due", "1700000000000"},
                       {"waybill-expires-at", 1700000000001},
                       {"waybill-id", "root-1"},
                       {"waybill-dead-reason", "attempts"},
                       {"waybill-dead-first-at", "160000"},
                       {"waybill-dead-count", "7"}};
    const auto past = read_history(sent.packed(), by_us(5));
    CHECK(past.due_ms == 1'700'000'000'000);
    CHECK(past.expires_at_ms == 1'700'000'000'001);
    CHECK(past.root_id == "root-1");
    CHECK(past.first_death_at == "160000");
    CHECK(past.deaths == 7);

    const headers hostile{{"waybill-due", "soon"},
                          {"waybill-expires-at", -1},
                          {"waybill-id", 7},
                          {"waybill-dead-reason", nullptr},
                          {"waybill-dead-first-at", 7},
                          {"waybill-dead-count", "many"}};
    const auto nothing = read_history(hostile.packed(), by_us(5));
    CHECK(nothing.due_ms == 0);
    CHECK(nothing.expires_at_ms == 0);
    CHECK(nothing.root_id.empty());
    CHECK(nothing.first_death_at.empty());
    CHECK(nothing.deaths == 1);

    const headers endless{{"waybill-due", "99999999999999999999999"},
                          {"waybill-dead-count", "99999999999999999999999"}};
    CHECK(read_history(endless.packed(), by_us(5)).due_ms == INT64_MAX);
    CHECK(read_history(endless.packed(), by_us(5)).deaths == UINT32_MAX - 1);
}

}  // namespace count_test
