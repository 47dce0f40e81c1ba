#include "time/growing_pause.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace std::chrono_literals;

TEST_CASE("a growing pause doubles up to the longest one, however often it is asked for") {
    using waybill::growing_pause;
    CHECK(growing_pause(10ms, 0, 5s) == 10ms);
    CHECK(growing_pause(10ms, 3, 5s) == 80ms);
    CHECK(growing_pause(10ms, 9, 5s) == 5s);
    CHECK(growing_pause(1s, 8, 256s) == 256s);
    CHECK(growing_pause(1s, 8, 255s) == 255s);
    CHECK(growing_pause(1s, 0, 1ms) == 1ms);
    for (const unsigned often : {62U, 63U, 64U, UINT32_MAX}) {
        CAPTURE(often);
        CHECK(growing_pause(1ns, often, 30s) == 30s);
    }
    CHECK(waybill::pause_before_repeat(0) == 100ms);
    CHECK(waybill::pause_before_repeat(8) == 25600ms);
    CHECK(waybill::pause_before_repeat(9) == 30s);
}

TEST_CASE("a jittered pause lies between a half and the whole") {
    std::uint32_t drawn = 0;
    const auto random = [&] { return drawn; };
    CHECK(waybill::jittered(100ms, random) == 50ms);
    drawn = 49'999'999;
    CHECK(waybill::jittered(100ms, random) == 99'999'999ns);
    drawn = 50'000'000;
    CHECK(waybill::jittered(100ms, random) == 50ms);
    CHECK(waybill::jittered(0ms, random) == 0ms);
}
