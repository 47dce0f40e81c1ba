#include "faults/rabbitmq/memory_rig.hpp"

using namespace std::chrono_literals;

TEST_CASE("a service that fails everything does not grow") {
    faults::test::fails_all("faults.memory", 30'000, 4s, 12s);
}
