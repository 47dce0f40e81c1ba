#include "time/growing_pause.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

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

TEST_CASE("a jittered pause lies between a half and the whole, and anywhere between them") {
    std::minstd_rand random{1};
    CHECK(waybill::jittered(0ns, random) == 0ns);
    CHECK(waybill::jittered(1ns, random) == 0ns);
    // The longest one is longer than the generator's numbers are large.
    for (const std::chrono::nanoseconds pause : {100ms, 30'000ms}) {
        auto shortest = pause;
        auto longest = 0ns;
        for (int draw = 0; draw < 1000; ++draw) {
            const auto drawn = waybill::jittered(pause, random);
            shortest = std::min(shortest, drawn);
            longest = std::max(longest, drawn);
        }
        CAPTURE(pause.count());
        CHECK(shortest >= pause / 2);
        CHECK(shortest < pause * 51 / 100);
        CHECK(longest < pause);
        CHECK(longest > pause * 99 / 100);
    }
}
