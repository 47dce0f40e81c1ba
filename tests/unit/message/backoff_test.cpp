#include <waybill/backoff.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace std::chrono_literals;

namespace backoff_test {

using waybill::backoff;

TEST_CASE("no back-off never waits") {
    const backoff none;
    CHECK(none.empty());
    CHECK(none.after(1) == 0s);
    CHECK(none.after(UINT32_MAX) == 0s);
    CHECK(none.problem().empty());
    CHECK(none.describe() == "none");
}

TEST_CASE("a fixed back-off always waits the same") {
    const auto delays = backoff::fixed(10s);
    CHECK(delays.after(1) == 10s);
    CHECK(delays.after(UINT32_MAX) == 10s);
    CHECK(delays.describe() == "10s");
}

TEST_CASE("an exponential back-off doubles up to its longest and stays there") {
    const auto delays = backoff::exponential(1s, 5min);
    CHECK(delays.after(1) == 1s);
    CHECK(delays.after(2) == 2s);
    CHECK(delays.after(9) == 256s);
    CHECK(delays.after(10) == 5min);
    CHECK(delays.after(UINT32_MAX) == 5min);
    CHECK(delays.describe() == "1s doubling to 5m");
}

TEST_CASE("an exponential back-off to the end of time does not overflow") {
    const auto longest = std::chrono::nanoseconds::max();
    const auto delays = backoff::exponential(1ns, longest);
    CHECK(delays.after(63) == std::chrono::nanoseconds{std::int64_t{1} << 62});
    CHECK(delays.after(64) == longest);
    CHECK(delays.after(UINT32_MAX) == longest);
}

TEST_CASE("a list gives one delay for each redelivery and repeats the last") {
    const auto delays = backoff::list({1s, 10s, 1min});
    CHECK(delays.after(1) == 1s);
    CHECK(delays.after(2) == 10s);
    CHECK(delays.after(3) == 1min);
    CHECK(delays.after(4) == 1min);
    CHECK(delays.describe() == "1s, 10s, 1m");
}

TEST_CASE("a back-off that cannot be says what is wrong") {
    CHECK(backoff::fixed(0s).problem() == "a back-off needs delays above zero");
    CHECK(backoff::list({}).problem() == "a back-off needs delays above zero");
    CHECK(backoff::list({1s, -1s}).problem() == "a back-off needs delays above zero");
    CHECK(backoff::exponential(10s, 5s).problem() ==
          "an exponential back-off starts at 10s, which is above its longest delay 5s");
    CHECK(backoff::exponential(5s, 5s).problem().empty());
}

}  // namespace backoff_test
