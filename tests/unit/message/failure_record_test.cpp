#include "message/failure_record.hpp"

#include "codec/utf8.hpp"
#include <waybill/byte_buffer.hpp>
#include <waybill/headers.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;

namespace failure_record_test {

using waybill::dead_reason;
using waybill::failure_record;
using waybill::headers;
using waybill::valid_utf8;

/// Packed for as long as the tests run.
std::span<const std::byte> place(std::string_view source, std::string_view handler) {
    static std::deque<waybill::byte_buffer> kept;
    waybill::pack_place(kept.emplace_back(), source, handler, "host-1");
    return kept.back().bytes();
}

failure_record sample() {
    failure_record record;
    record.reason = dead_reason::exception;
    record.error = "the card was declined";
    record.place = place("orders", "charge");
    record.at = 1'700'000'000'000ms;
    record.attempts = 5;
    record.count = 1;
    return record;
}

headers written(const failure_record& record, std::size_t budget = failure_record::default_budget) {
    waybill::byte_buffer bytes;
    bytes.finish_at(record.write_to(bytes.room(record.room_for(budget)), budget));
    return headers::copy_of(bytes.bytes());
}

std::size_t cost_of(const headers& all) {
    std::size_t sum = 0;
    for (const auto& entry : all) sum += entry.name.size() + entry.value.bytes()->size();
    return sum;
}

TEST_CASE("a record names the reason, the error, the place, the times and the counts") {
    const auto all = written(sample());
    CHECK(all.text("waybill-dead-reason") == "exception");
    CHECK(all.text("waybill-dead-error") == "the card was declined");
    CHECK(all.text("waybill-dead-source") == "orders");
    CHECK(all.text("waybill-dead-handler") == "charge");
    CHECK(all.text("waybill-dead-host") == "host-1");
    CHECK(all.text("waybill-dead-at") == "1700000000000");
    CHECK(all.text("waybill-dead-first-at") == "1700000000000");
    CHECK(all.text("waybill-dead-attempts") == "5");
    CHECK(all.text("waybill-dead-count") == "1");
    CHECK(all.count() == 9);
}

TEST_CASE("the first death is told in the words of the record that had it") {
    auto record = sample();
    record.first_at = "1600000000000";
    const auto all = written(record);
    CHECK(all.text("waybill-dead-first-at") == "1600000000000");
    CHECK(all.text("waybill-dead-at") == "1700000000000");
}

TEST_CASE("what is no number is no time of a first death") {
    for (const auto* told : {"", "yesterday", "-1", "16e11", "1600000000000 "}) {
        auto record = sample();
        record.first_at = told;
        CAPTURE(told);
        CHECK(written(record).text("waybill-dead-first-at") == "1700000000000");
    }
}

TEST_CASE("without an error text there is no error header") {
    auto record = sample();
    record.error = "";
    const auto all = written(record);
    CHECK_FALSE(all.contains("waybill-dead-error"));
}

TEST_CASE("every reason has a word of its own") {
    CHECK(std::string{to_string(dead_reason::attempts)} == "attempts");
    CHECK(std::string{to_string(dead_reason::decode)} == "decode");
    CHECK(std::string{to_string(dead_reason::exception)} == "exception");
    CHECK(std::string{to_string(dead_reason::redelivered)} == "redelivered");
    CHECK(std::string{to_string(dead_reason::expired)} == "expired");
    CHECK(std::string{to_string(dead_reason::foreign_copy)} == "foreign_copy");
}

TEST_CASE("a record fits any budget, and the error text is cut first") {
    auto record = sample();
    const std::string error(10'000, 'e');
    record.error = error;
    const auto whole = written(record);
    CHECK(cost_of(whole) == failure_record::default_budget);

    const auto others = cost_of(whole) - std::string{"waybill-dead-error"}.size() -
                        whole.text("waybill-dead-error")->size();
    for (std::size_t budget = 0; budget <= others + 100; ++budget) {
        const auto all = written(record, budget);
        CAPTURE(budget);
        REQUIRE(cost_of(all) <= budget);
        const bool room_for_error = budget > others + std::string{"waybill-dead-error"}.size();
        REQUIRE(all.contains("waybill-dead-error") == room_for_error);
        REQUIRE((budget < others || all.text("waybill-dead-host") == "host-1"));
    }
}

TEST_CASE("a budget too small for a number or the reason leaves it out and never cuts it") {
    auto record = sample();
    record.attempts = 1'000'000;
    record.count = 123'456;
    for (std::size_t budget = 0; budget < 400; ++budget) {
        const auto all = written(record, budget);
        CAPTURE(budget);
        REQUIRE(all.text("waybill-dead-reason").value_or("exception") == "exception");
        REQUIRE(all.text("waybill-dead-attempts").value_or("1000000") == "1000000");
        REQUIRE(all.text("waybill-dead-count").value_or("123456") == "123456");
        REQUIRE(all.text("waybill-dead-at").value_or("1700000000000") == "1700000000000");
        REQUIRE(all.text("waybill-dead-first-at").value_or("1700000000000") == "1700000000000");
    }
}

TEST_CASE("a long source or handler name is cut, so that the rest of the record has room") {
    auto record = sample();
    const std::string name(10'000, 'n');
    record.place = place(name, name);
    const auto all = written(record);
    CHECK(all.text("waybill-dead-source") == std::string(512, 'n'));
    CHECK(all.text("waybill-dead-handler") == std::string(512, 'n'));
    CHECK(all.text("waybill-dead-error") == "the card was declined");
}

TEST_CASE("hostile texts come out as valid UTF-8 at every budget") {
    const std::vector<std::string> hostile = {
        std::string("\x00 zero", 6),
        "\xC3\x28",
        "\xE2\x82",
        "\xED\xA0\x80",
        "\xF4\x90\x80\x80",
        "\xC0\x80",
        "\xFF\xFE",
        "\xF0\x9F\x92",
        "退款退款",
        "a\r\nx-evil: 1",
        "\xEF\xBB\xBF bom",
        "e\xCC\x81",
    };
    for (const auto& text : hostile) {
        auto record = sample();
        record.error = text;
        record.place = place(text, "charge");
        record.first_at = text;
        for (std::size_t budget = 0; budget < 400; ++budget) {
            const auto all = written(record, budget);
            REQUIRE(cost_of(all) <= budget);
            for (const auto& entry : all) {
                REQUIRE(waybill::is_utf8_slow(*entry.value.text()));
            }
        }
    }
}

TEST_CASE("what is not UTF-8 becomes a question mark for each bad byte") {
    CHECK(valid_utf8("a\xC3\x28z", 100) == "a?(z");
    CHECK(valid_utf8("\xED\xA0\x80", 100) == "???");
    CHECK(valid_utf8("\xF4\x90\x80\x80", 100) == "????");
    CHECK(valid_utf8("\xC0\x80", 100) == "??");
    CHECK(valid_utf8("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", 100) ==
          "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
    CHECK(valid_utf8("", 100).empty());
}

TEST_CASE("a cut falls between characters") {
    CHECK(valid_utf8("退款", 0).empty());
    CHECK(valid_utf8("退款", 2).empty());
    CHECK(valid_utf8("退款", 3) == "退");
    CHECK(valid_utf8("退款", 5) == "退");
    CHECK(valid_utf8("退款", 6) == "退款");
    CHECK(valid_utf8("\xFF\xFF\xFF", 2) == "??");
}

}  // namespace failure_record_test
