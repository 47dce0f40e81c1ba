// The lines of a running app: one an event, in either form, whatever the values hold.
#include "log/logger.hpp"
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace logs {

using waybill::log_format;
using waybill::log_level;

struct order {
    std::uint64_t id;
};

using lines = std::vector<std::string>;

const std::string nasty =
    "two\nlines\r\n\"quoted\" \\ and\ttabbed, \x1b[31mred\x1b[0m, \x7f, nul \x01, "
    "\xC2\x9B"
    "31m, \xE2\x80\xA8line\xE2\x80\xA9"
    "end, \xFF\xC3, \xC3\xA4";

/// Nothing in it could break a line, move a cursor or is no UTF-8.
bool is_one_clean_line(const std::string& line) {
    if (std::ranges::any_of(line, [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; })) {
        return false;
    }
    for (const auto* bad : {"\xC2\x9B", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xFF"}) {
        if (line.find(bad) != std::string::npos) return false;
    }
    return true;
}

lines written(log_format format, log_level level,
              const std::function<void(const waybill::log::logger&)>& write) {
    lines all;
    const waybill::log::logger to{
        {level, format, [&](std::string_view line) { all.emplace_back(line); }}};
    write(to);
    return all;
}

/// Without its time.
std::string without_time(const std::string& line) {
    REQUIRE(line.size() > 25);
    CHECK(line[10] == 'T');
    CHECK(line[23] == 'Z');
    return line.substr(25);
}

TEST_CASE("a text line is a time, a level, an event and its fields") {
    const auto all = written(log_format::text, log_level::info, [](const auto& to) {
        to.write(log_level::info, "started",
                 {{"subscription", "charge"}, {"lanes", 4}, {"inline", false}, {"none", ""}});
    });
    REQUIRE(all.size() == 1);
    CHECK(without_time(all[0]) ==
          R"(info    started subscription=charge lanes=4 inline=false none="")");
}

TEST_CASE("a JSON line is an object with the same") {
    const auto all = written(log_format::json, log_level::info, [](const auto& to) {
        to.write(log_level::warning, "started",
                 {{"subscription", "charge"}, {"lanes", -4}, {"inline", true}});
    });
    REQUIRE(all.size() == 1);
    const auto line = nlohmann::json::parse(all[0]);
    CHECK(line["at"].get<std::string>().size() == 24);
    CHECK(line["level"] == "warning");
    CHECK(line["event"] == "started");
    CHECK(line["subscription"] == "charge");
    CHECK(line["lanes"] == -4);
    CHECK(line["inline"] == true);
}

TEST_CASE("the level is the lowest that is written") {
    const auto count = [](log_level level) {
        return written(log_format::text, level,
                       [](const auto& to) {
                           for (const auto each : {log_level::debug, log_level::info,
                                                   log_level::warning, log_level::error}) {
                               to.write(each, "event", {});
                           }
                       })
            .size();
    };
    CHECK(count(log_level::debug) == 4);
    CHECK(count(log_level::info) == 3);
    CHECK(count(log_level::warning) == 2);
    CHECK(count(log_level::error) == 1);
    CHECK(count(log_level::off) == 0);
}

TEST_CASE("a value never breaks its line, and comes back from JSON as valid UTF-8") {
    for (const auto format : {log_format::text, log_format::json}) {
        const auto all = written(format, log_level::info, [](const auto& to) {
            to.write(log_level::info, "event", {{"error", nasty}, {"next", "x"}});
        });
        REQUIRE(all.size() == 1);
        CHECK(is_one_clean_line(all[0]));
        if (format == log_format::text) {
            CHECK(all[0].ends_with(" next=x"));
            CHECK(all[0].find("\xC3\xA4") != std::string::npos);
            continue;
        }
        const auto error = nlohmann::json::parse(all[0])["error"].get<std::string>();
        CHECK(error.starts_with("two\nlines\r\n\"quoted\" \\ and\ttabbed, \x1b[31mred"));
        CHECK(error.ends_with("\xC3\xA4"));
    }
}

TEST_CASE("a control character without a space is quoted in a text line too") {
    for (const auto* value :
         {"a\x1b[2J", "a\vb", "a\fb", "a\x7f", "a\xC2\x85.b", "a=b", "\"", "\xE2\x80\xA8"}) {
        const auto all = written(log_format::text, log_level::info, [&](const auto& to) {
            to.write(log_level::info, "event", {{"key", value}});
        });
        REQUIRE(all.size() == 1);
        CHECK(is_one_clean_line(all[0]));
        CHECK(all[0].find("key=\"") != std::string::npos);
    }
}

TEST_CASE("a very long value is cut") {
    const std::string value(100'000, 'x');
    const auto all = written(log_format::json, log_level::info, [&](const auto& to) {
        to.write(log_level::info, "event", {{"key", value}});
    });
    REQUIRE(all.size() == 1);
    CHECK(all[0].size() < 2'000);
}

// ---- of a running app --------------------------------------------------------------------------

lines of_an_app(log_format format, log_level level) {
    lines all;
    waybill::app app{"shop", "1"};
    app.log_format(format).log_level(level).log_to(
        [&](std::string_view line) { all.emplace_back(line); });
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"),
                   [](const order&) { throw std::runtime_error{nasty}; })
        .max_attempts(2)
        .dead_letter("dead");
    {
        waybill::test_app tb{std::move(app)};
        tb.publish_raw("orders", R"({"id":1,"card":"4111-1111"})", {{"token", "s3cret\nline"}});
        tb.publish_raw("orders", "{\"id\":\"" + std::string(40, 'x') + "tail-of-it\"}");
    }
    return all;
}

std::size_t count_of(const lines& all, std::string_view part) {
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [&](const auto& line) { return line.find(part) != line.npos; }));
}

TEST_CASE("each event of an app is one line of text that holds no payload and no header value") {
    const auto all = of_an_app(log_format::text, log_level::info);
    CHECK(std::ranges::all_of(all, is_one_clean_line));
    CHECK(count_of(all,
                   " started subscription=orders counted_by=broker+header delays=broker "
                   "kill_loses=everything crash_loop=bounded stop_charges=false") == 1);
    CHECK(count_of(all, " handler_failed subscription=orders attempt=") == 2);
    CHECK(count_of(all, " undecodable subscription=orders") == 1);
    CHECK(count_of(all, " dead_lettered subscription=orders reason=attempts attempts=2 to=dead") ==
          1);
    CHECK(count_of(all, " dead_lettered subscription=orders reason=decode") == 1);
    CHECK(count_of(all, " health app=shop state=running") == 1);
    CHECK(count_of(all, " health app=shop state=stopped") == 1);
    CHECK(count_of(all, " stopped pending_delays=0 lost=0 in_time=true") == 1);
    CHECK(count_of(all, "4111") == 0);
    CHECK(count_of(all, "tail-of-it") == 0);
    CHECK(count_of(all, "s3cret") == 0);
}

TEST_CASE("each event of an app is one JSON object") {
    const auto all = of_an_app(log_format::json, log_level::info);
    CHECK(all.size() == of_an_app(log_format::text, log_level::info).size());
    for (const auto& line : all) {
        CHECK(is_one_clean_line(line));
        const auto parsed = nlohmann::json::parse(line, nullptr, false);
        REQUIRE(parsed.is_object());
        CHECK(parsed.contains("event"));
    }
}

TEST_CASE("an app writes nothing below its level") {
    const auto warnings = of_an_app(log_format::text, log_level::warning);
    CHECK(count_of(warnings, " handler_failed ") == 2);
    CHECK(count_of(warnings, " started ") == 0);
    CHECK(of_an_app(log_format::text, log_level::off).empty());
}

TEST_CASE("a cap without a dead letter is warned of at start") {
    lines all;
    waybill::app app{"shop", "1"};
    app.log_to([&](std::string_view line) { all.emplace_back(line); });
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"), [](const order&) {})
        .max_attempts(2);
    const waybill::test_app tb{std::move(app)};
    CHECK(count_of(all, " no_dead_letter subscription=orders") == 1);
}

TEST_CASE("a sink that throws stops nothing") {
    waybill::app app{"shop", "1"};
    app.log_to([](std::string_view) { throw std::runtime_error{"disk full"}; });
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"),
                   [](const order&) { throw std::runtime_error{"x"}; })
        .max_attempts(1)
        .dead_letter("dead");
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    CHECK(tb.published("dead") == 1);
}

}  // namespace logs
