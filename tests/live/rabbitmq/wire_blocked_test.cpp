#include "wire_rig.hpp"

#include <string>

using namespace live::wire_rig;

namespace {

void watermark(const std::string& share) {
    const auto command =
        environment("WAYBILL_RABBITMQ_CTL") + " -q set_vm_memory_high_watermark " + share;
    REQUIRE(std::system(command.c_str()) == 0);
}

/// A server that is short of memory, until the end of the block.
struct shortage {
    shortage() { watermark("0.000001"); }
    ~shortage() { watermark("0.4"); }
};

}  // namespace

TEST_CASE(
    "live: a server that is short of memory says so and takes nothing, and nobody waits for it") {
    auto wire = opened();
    witness seen;
    REQUIRE(wire->open_channel(1).has_value());
    REQUIRE(wire->select_confirms(1).has_value());
    REQUIRE(wire->declare(1, own("blocked"), false).has_value());
    constexpr std::uint64_t count = 64;
    const std::string body(1'000'000, 'x');
    {
        const shortage now;
        const auto began = std::chrono::steady_clock::now();
        // More than the socket holds: the rest is kept here.
        for (std::uint64_t i = 0; i < count; ++i)
            REQUIRE(wire->publish(1, {"", "blocked", {}, as_bytes(body), true}).has_value());
        REQUIRE(wire->flush().has_value());
        CHECK(std::chrono::steady_clock::now() - began < 5s);
        until(*wire, seen, [&] { return seen.was_told("blocked low on memory"); });
        CHECK(seen.settled < count);
    }
    until(*wire, seen, [&] { return seen.settled == count; });
    CHECK(seen.told.size() >= 2);
    CHECK(seen.was_told("blocked "));
    const auto state = wire->declare(1, named("blocked"), true);
    REQUIRE(state.has_value());
    CHECK(state->messages == count);
    wire->close();
}
