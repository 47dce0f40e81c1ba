#include "faults/rabbitmq/memory_rig.hpp"

using namespace std::chrono_literals;

TEST_CASE("a service that fails a million messages for a minute does not grow") {
    faults::test::fails_all("faults.million", 1'000'000, 10s, 70s);
}
