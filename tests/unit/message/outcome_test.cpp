#include <waybill/outcome.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

using namespace std::chrono_literals;

namespace outcome_test {

using std::chrono::nanoseconds;
using waybill::outcome;
using waybill::outcome_kind;
using waybill::retry_after;

static_assert(sizeof(outcome) == 16 && std::is_trivially_copyable_v<outcome>);
static_assert(outcome{} == waybill::ack(), "what a handler leaves unsaid is ack");

TEST_CASE("a delay of zero or less is an immediate retry") {
    CHECK(retry_after(0s) == waybill::retry());
    CHECK(retry_after(-1ns) == waybill::retry());
    CHECK(retry_after(nanoseconds::min()) == waybill::retry());
    CHECK(retry_after(std::chrono::duration<double>{-0.0}) == waybill::retry());
    CHECK(retry_after(std::chrono::duration<double>{std::nan("")}) == waybill::retry());
}

TEST_CASE("a delay is kept to the nanosecond and never shortened") {
    CHECK(retry_after(1ns).delay() == 1ns);
    CHECK(retry_after(30s).kind() == outcome_kind::retry_after);
    CHECK(retry_after(4294967296ms).delay() == 4294967296ms);
    CHECK(retry_after(std::chrono::days{50}).delay() == 1200h);
    CHECK(retry_after(std::chrono::duration<double, std::nano>{1.5}).delay() == 2ns);
    CHECK(retry_after(std::chrono::duration<std::int64_t, std::pico>{1}).delay() == 1ns);
    CHECK(retry_after(std::chrono::duration<std::uint8_t>{255}).delay() == 255s);
}

TEST_CASE("a delay above 292 years is cut to that") {
    using years = std::chrono::duration<std::int64_t, std::ratio<31'556'952>>;
    CHECK(retry_after(years{292}).delay() == years{292});
    CHECK(retry_after(years{293}).delay() == nanoseconds::max());
    CHECK(retry_after(std::chrono::hours::max()).delay() == nanoseconds::max());
    CHECK(retry_after(std::chrono::duration<std::uint64_t>::max()).delay() == nanoseconds::max());
    CHECK(retry_after(nanoseconds::max()).delay() == nanoseconds::max());
    const auto infinite = std::numeric_limits<double>::infinity();
    CHECK(retry_after(std::chrono::duration<double>{infinite}).delay() == nanoseconds::max());
}

TEST_CASE("a delay in an odd unit does not overflow on the way") {
    using thirds = std::chrono::duration<std::int64_t, std::ratio<1, 3>>;
    CHECK(retry_after(thirds{20'000'000'000}).delay() == 6'666'666'666'666'666'667ns);
    CHECK(retry_after(thirds::max()).delay() == nanoseconds::max());
}

TEST_CASE("an outcome prints as people write it") {
    std::ostringstream text;
    text << waybill::ack() << ", " << waybill::retry() << ", " << retry_after(90s) << ", "
         << waybill::drop();
    CHECK(text.str() == "ack, retry, retry_after 90s, drop");
}

TEST_CASE("a duration prints in its largest exact unit") {
    CHECK(waybill::to_text(0ns) == "0s");
    CHECK(waybill::to_text(1ns) == "1ns");
    CHECK(waybill::to_text(1500us) == "1500us");
    CHECK(waybill::to_text(1500ms) == "1500ms");
    CHECK(waybill::to_text(30s) == "30s");
    CHECK(waybill::to_text(120s) == "2m");
    CHECK(waybill::to_text(90min) == "90m");
    CHECK(waybill::to_text(1200h) == "1200h");
    CHECK(waybill::to_text(-2s) == "-2s");
    CHECK(waybill::to_text(nanoseconds::max()) == "9223372036854775807ns");
    CHECK(waybill::to_text(nanoseconds::min()) == "-9223372036854775808ns");
}

}  // namespace outcome_test
