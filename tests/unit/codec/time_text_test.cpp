#include "samples.hpp"
#include <waybill/detail/time_text.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <ratio>

using namespace samples;
using namespace std::chrono;
using namespace std::chrono_literals;
using waybill::detail::parse_time;
using waybill::detail::wall_time;
using waybill::detail::write_time;

namespace {

/// Seconds and nanoseconds of the text, or "no time".
std::string read(std::string_view text) {
    wall_time time;
    if (!parse_time(text, time)) return "no time";
    return std::to_string(time.seconds) + " s " + std::to_string(time.nanoseconds) + " ns";
}

std::string seconds_of(sys_seconds time, std::uint32_t nanoseconds = 0) {
    return std::to_string(time.time_since_epoch().count()) + " s " + std::to_string(nanoseconds) +
           " ns";
}

std::string written(sys_seconds time, std::uint32_t nanoseconds = 0) {
    std::array<char, 32> letters{};
    return std::string{write_time({time.time_since_epoch().count(), nanoseconds}, letters)};
}

template <class T>
std::string json_error(std::string_view text) {
    return error_of(from_json<T>(text));
}

}  // namespace

TEST_CASE("the examples of RFC 3339, section 5.8, are read") {
    const sys_seconds first = sys_days{1985y / 4 / 12} + 23h + 20min + 50s;
    CHECK(read("1985-04-12T23:20:50.52Z") == seconds_of(first, 520'000'000));
    CHECK(read("1996-12-19T16:39:57-08:00") ==
          seconds_of(sys_days{1996y / 12 / 20} + 0h + 39min + 57s));
    const sys_seconds leap = sys_days{1991y / 1 / 1};  // a leap second is the first of the next
    CHECK(read("1990-12-31T23:59:60Z") == seconds_of(leap));
    CHECK(read("1990-12-31T15:59:60-08:00") == seconds_of(leap));
    CHECK(read("1937-01-01T12:00:27.87+00:20") ==
          seconds_of(sys_days{1937y / 1 / 1} + 11h + 40min + 27s, 870'000'000));
}

TEST_CASE("a time is read with any offset, fraction and case of its letters") {
    const sys_seconds noon = sys_days{2026y / 1 / 31} + 12h;
    for (const std::string_view text :
         {"2026-01-31T12:00:00Z", "2026-01-31t12:00:00z", "2026-01-31T12:00:00+00:00",
          "2026-01-31T12:00:00-00:00", "2026-02-01T11:59:00+23:59", "2026-01-30T12:01:00-23:59",
          "2026-01-31T12:00:00.0Z", "2026-01-31T12:00:00.000000000000000000000000Z"}) {
        CAPTURE(text);
        CHECK(read(text) == seconds_of(noon));
    }
    CHECK(read("2026-01-31T12:00:00.000000001Z") == seconds_of(noon, 1));
    CHECK(read("2026-01-31T12:00:00.999999999Z") == seconds_of(noon, 999'999'999));
    CHECK(read("2026-01-31T12:00:00.1234567890000Z") == seconds_of(noon, 123'456'789));
    CHECK(read("2026-01-31T12:00:00.0000000001Z") == "no time");
    CHECK(read("1969-12-31T23:59:59.5Z") == "-1 s 500000000 ns");
}

TEST_CASE("the calendar is held to") {
    for (const std::string_view day : {"2000-02-29", "2024-02-29", "0000-02-29", "2026-04-30"})
        CHECK(read(std::string{day} + "T00:00:00Z") != "no time");
    for (const std::string_view day : {"1900-02-29", "2026-02-29", "2024-02-30", "2026-04-31",
                                       "2026-00-01", "2026-13-01", "2026-01-00", "2026-01-32"})
        CHECK(read(std::string{day} + "T00:00:00Z") == "no time");
    CHECK(read("0000-01-01T00:00:00Z") ==
          std::to_string(waybill::detail::first_second) + " s 0 ns");
    CHECK(read("9999-12-31T23:59:59Z") == std::to_string(waybill::detail::last_second) + " s 0 ns");
}

TEST_CASE("what is no date-time of RFC 3339 is none") {
    const std::string good = "2026-01-31T12:34:56.7+01:30";
    REQUIRE(read(good) != "no time");
    for (std::size_t size = 0; size < good.size(); ++size) {
        CAPTURE(size);
        CHECK(read(good.substr(0, size)) == "no time");
    }
    for (std::size_t at = 0; at < good.size(); ++at)
        for (const char letter : {'x', ' ', ':', '\0', '/', '\xc3'}) {
            std::string bad = good;
            if (bad[at] == letter) continue;
            bad[at] = letter;
            CAPTURE(bad);
            CHECK(read(bad) == "no time");
        }
    for (const std::string_view text : {"",
                                        "Z",
                                        "2026-01-31",
                                        "12:00:00Z",
                                        "2026-01-31 12:00:00Z",
                                        "2026-01-31T12:00:00",
                                        "2026-01-31T12:00Z",
                                        "2026-01-31T24:00:00Z",
                                        "2026-01-31T12:60:00Z",
                                        "2026-01-31T12:00:61Z",
                                        "2026-01-31T12:00:00.Z",
                                        "2026-01-31T12:00:00,5Z",
                                        "2026-01-31T12:00:00+24:00",
                                        "2026-01-31T12:00:00+00:60",
                                        "2026-01-31T12:00:00+0100",
                                        "2026-01-31T12:00:00+01",
                                        "2026-01-31T12:00:00+01:00Z",
                                        "2026-01-31T12:00:00ZZ",
                                        "2026-01-31T12:00:00Z ",
                                        " 2026-01-31T12:00:00Z",
                                        "26-01-31T12:00:00Z",
                                        "+2026-01-31T12:00:00Z",
                                        "-026-01-31T12:00:00Z",
                                        "12026-01-31T12:00:00Z",
                                        "2026-1-31T12:00:00Z",
                                        "20260131T120000Z",
                                        "2026-W05-6T12:00:00Z"}) {
        CAPTURE(text);
        CHECK(read(text) == "no time");
    }
}

TEST_CASE("a time is written in UTC with as many digits as it needs, of 0, 3, 6 and 9") {
    const sys_seconds noon = sys_days{2026y / 1 / 31} + 12h;
    CHECK(written(noon) == "2026-01-31T12:00:00Z");
    CHECK(written(noon, 500'000'000) == "2026-01-31T12:00:00.500Z");
    CHECK(written(noon, 1'000) == "2026-01-31T12:00:00.000001Z");
    CHECK(written(noon, 1) == "2026-01-31T12:00:00.000000001Z");
    CHECK(written(sys_seconds{-1s}, 999'999'999) == "1969-12-31T23:59:59.999999999Z");
    CHECK(written(sys_seconds{seconds{waybill::detail::first_second}}) == "0000-01-01T00:00:00Z");
    CHECK(written(sys_seconds{seconds{waybill::detail::last_second}}, 999'999'999) ==
          "9999-12-31T23:59:59.999999999Z");
}

TEST_CASE("every day of 400 years is written and read as the same") {
    for (sys_days day = 1900y / 1 / 1; day < sys_days{2300y / 1 / 1}; day += days{1}) {
        const sys_seconds time = day + 23h + 59min + 58s;
        if (read(written(time, 7)) != seconds_of(time, 7)) FAIL_CHECK(written(time));
    }
}

TEST_CASE("points of time of every precision come back as they were") {
    const sys_days day = 2026y / 1 / 31;
    const auto comes_back = [](const auto& time, std::string_view text) {
        using type = std::remove_cvref_t<decltype(time)>;
        CHECK(to_json(time) == text);
        CHECK(from_json<type>(text) == time);
    };
    comes_back(day, R"("2026-01-31T00:00:00Z")");
    comes_back(sys_time<hours>{day + 5h}, R"("2026-01-31T05:00:00Z")");
    comes_back(sys_seconds{day + 5h + 1s}, R"("2026-01-31T05:00:01Z")");
    comes_back(sys_time<milliseconds>{day + 7ms}, R"("2026-01-31T00:00:00.007Z")");
    comes_back(system_clock::time_point{day + 7ns}, R"("2026-01-31T00:00:00.000000007Z")");
    comes_back(system_clock::time_point{-1ns}, R"("1969-12-31T23:59:59.999999999Z")");
    comes_back(sys_time<duration<double>>{duration<double>{0.5}}, R"("1970-01-01T00:00:00.500Z")");
    comes_back(sys_days{0y / 1 / 1}, R"("0000-01-01T00:00:00Z")");
    comes_back(sys_days{9999y / 12 / 31}, R"("9999-12-31T00:00:00Z")");
}

TEST_CASE("a time that the type cannot hold exactly is an error") {
    CHECK(json_error<sys_days>(R"("2026-01-31T00:00:01Z")") ==
          "payload, byte 0: expected a time that the type can hold, found "
          "`\"2026-01-31T00:00:01Z\"`");
    CHECK(json_error<sys_seconds>(R"("2026-01-31T00:00:00.5Z")") != "decoded");
    CHECK(json_error<sys_time<milliseconds>>(R"("2026-01-31T00:00:00.0001Z")") != "decoded");
    // 64 bits of nanoseconds end on 2262-04-11 and begin on 1677-09-21.
    CHECK(json_error<system_clock::time_point>(R"("2262-04-11T23:47:16.854775807Z")") == "decoded");
    CHECK(json_error<system_clock::time_point>(R"("2262-04-11T23:47:16.854775808Z")") != "decoded");
    CHECK(json_error<system_clock::time_point>(R"("1677-09-21T00:12:43.145224192Z")") == "decoded");
    CHECK(json_error<system_clock::time_point>(R"("1677-09-21T00:12:43.145224191Z")") != "decoded");
    CHECK(json_error<sys_seconds>(R"("9999-12-31T23:59:59Z")") == "decoded");
}

TEST_CASE("a time outside of the years 0 to 9999, or finer than a nanosecond, is not written") {
    CHECK(to_json(sys_days{10000y / 1 / 1}) == "payload: the time is not in the years 0 to 9999");
    CHECK(to_json(sys_days{year{-1} / 12 / 31}) ==
          "payload: the time is not in the years 0 to 9999");
    CHECK(to_json(sys_time<duration<std::int64_t, std::pico>>{duration<std::int64_t, std::pico>{
              1}}) == "payload: the time is no whole number of nanoseconds");
    CHECK(!to_json(sys_time<duration<double>>{duration<double>{NAN}}).starts_with('"'));
    CHECK(!to_json(sys_time<duration<double>>{duration<double>{INFINITY}}).starts_with('"'));
}

TEST_CASE("a time that is read can be written again") {
    // An offset, or a leap second, may lead out of the years that can be written.
    CHECK(json_error<sys_seconds>(R"("0000-01-01T00:00:00+00:01")") != "decoded");
    CHECK(json_error<sys_seconds>(R"("9999-12-31T23:59:00-00:01")") != "decoded");
    CHECK(json_error<sys_seconds>(R"("9999-12-31T23:59:60Z")") != "decoded");
    CHECK(json_error<sys_seconds>(R"("0000-01-01T00:01:00+00:01")") == "decoded");
}

TEST_CASE("durations of every period are nanoseconds on the wire") {
    const auto comes_back = [](const auto& time, std::string_view text) {
        using type = std::remove_cvref_t<decltype(time)>;
        CHECK(to_json(time) == text);
        CHECK(from_json<type>(text) == time);
    };
    comes_back(1ns, "1");
    comes_back(-1us, "-1000");
    comes_back(1ms, "1000000");
    comes_back(1s, "1000000000");
    comes_back(-1min, "-60000000000");
    comes_back(1h, "3600000000000");
    comes_back(days{1}, "86400000000000");
    comes_back(weeks{1}, "604800000000000");
    comes_back(duration<std::int8_t>{-128}, "-128000000000");
    comes_back(duration<std::uint8_t, std::milli>{255}, "255000000");
    comes_back(duration<std::int64_t, std::pico>{5000}, "5");
    comes_back(duration<int, std::ratio<1, 30>>{3}, "100000000");
    comes_back(duration<int, std::ratio<86400, 7>>{7}, "86400000000000");
    comes_back(nanoseconds::max(), "9223372036854775807");
    comes_back(nanoseconds::min(), "-9223372036854775808");
    comes_back(duration<double>{0.25}, "250000000");
    comes_back(duration<float, std::ratio<3600>>{-1.5F}, "-5400000000000");
    comes_back(duration<long double, std::milli>{0.5L}, "500000");
}

TEST_CASE("a floating duration is rounded to the nanosecond when it is written") {
    CHECK(to_json(duration<double, std::nano>{1.4}) == "1");
    CHECK(to_json(duration<double, std::nano>{-1.5}) == "-2");
    CHECK(to_json(duration<double>{1e-10}) == "0");
}

TEST_CASE("a duration that its type or 64 bits of nanoseconds cannot hold is an error") {
    CHECK(json_error<seconds>("1") ==
          "payload, byte 0: expected nanoseconds that the type can hold, found `1`");
    CHECK(json_error<milliseconds>("1500000") != "decoded");
    CHECK(json_error<duration<std::int8_t>>("128000000000") != "decoded");
    CHECK(json_error<duration<std::uint8_t>>("-1000000000") != "decoded");
    CHECK(json_error<duration<int, std::ratio<1, 30>>>("33333333") != "decoded");
    CHECK(json_error<nanoseconds>("9223372036854775808") != "decoded");
    CHECK(json_error<nanoseconds>("1.5") != "decoded");
    CHECK(json_error<nanoseconds>("\"1\"") != "decoded");
    for (const std::string& text :
         {to_json(hours::max()), to_json(hours::min()), to_json(duration<double>{1e10}),
          to_json(duration<double>{NAN}), to_json(duration<double>{-INFINITY}),
          to_json(duration<std::uint64_t, std::nano>{9223372036854775808U}),
          to_json(duration<std::int64_t, std::pico>{1})})
        CHECK(text == "payload: the duration is no number of nanoseconds of 64 bits");
}
