#include "time/saturating.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <limits>

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using waybill::saturating_add;
using waybill::saturating_nanoseconds;

TEST_CASE("saturating: a sum stops at the ends of the range") {
    static_assert(saturating_add(1s, 2ns) == 1'000'000'002ns);
    static_assert(saturating_add(nanoseconds::max(), 1ns) == nanoseconds::max());
    static_assert(saturating_add(nanoseconds::max(), nanoseconds::max()) == nanoseconds::max());
    static_assert(saturating_add(nanoseconds::min(), -1ns) == nanoseconds::min());
    static_assert(saturating_add(nanoseconds::max(), nanoseconds::min()) == -1ns);
    static_assert(saturating_add(nanoseconds::max() - 1ns, 1ns) == nanoseconds::max());
}

TEST_CASE("saturating: any duration becomes nanoseconds or the nearer end") {
    using std::chrono::hours;
    static_assert(saturating_nanoseconds(50 * 24h) == 4'320'000'000'000'000ns);
    static_assert(saturating_nanoseconds(4'294'967'296ms) == 4'294'967'296'000'000ns);
    static_assert(saturating_nanoseconds(hours::max()) == nanoseconds::max());
    static_assert(saturating_nanoseconds(hours::min()) == nanoseconds::min());
    static_assert(saturating_nanoseconds(std::chrono::milliseconds::max()) == nanoseconds::max());
    static_assert(saturating_nanoseconds(hours{2'562'047}) == hours{2'562'047});
    static_assert(saturating_nanoseconds(hours{2'562'048}) == nanoseconds::max());
    static_assert(saturating_nanoseconds(hours{-2'562'048}) == nanoseconds::min());
    static_assert(saturating_nanoseconds(nanoseconds::min()) == nanoseconds::min());
    using short_years = std::chrono::duration<std::int16_t, std::ratio<31'556'952>>;
    static_assert(saturating_nanoseconds(short_years{300}) == nanoseconds::max());
    static_assert(saturating_nanoseconds(short_years{100}) == short_years{100});
}

TEST_CASE("saturating: a fraction of a nanosecond is rounded up") {
    using picoseconds = std::chrono::duration<std::int64_t, std::pico>;
    static_assert(saturating_nanoseconds(picoseconds{1}) == 1ns);
    static_assert(saturating_nanoseconds(picoseconds{2000}) == 2ns);
    static_assert(saturating_nanoseconds(picoseconds{-1}) == 0ns);
    using seconds = std::chrono::duration<double>;
    CHECK(saturating_nanoseconds(seconds{0.25}) == 250ms);
    CHECK(saturating_nanoseconds(seconds{1.5e-9}) == 2ns);
    CHECK(saturating_nanoseconds(seconds{1e300}) == nanoseconds::max());
    CHECK(saturating_nanoseconds(seconds{-1e300}) == nanoseconds::min());
    CHECK(saturating_nanoseconds(seconds{std::numeric_limits<double>::infinity()}) ==
          nanoseconds::max());
    CHECK(saturating_nanoseconds(seconds{std::numeric_limits<double>::quiet_NaN()}) == 0ns);
}
