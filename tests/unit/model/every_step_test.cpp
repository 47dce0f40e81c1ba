// Every step of every story fails once, on memory servers that count: what is promised holds
// whatever goes wrong at whichever moment.
#include "support/memory_path.hpp"

namespace {

using support::check_every_step;
using support::memory_path;

TEST_CASE("every step may fail on a server that counts and delays") {
    check_every_step(memory_path("counting", {}));
}

TEST_CASE("every step may fail on a server that counts and does not delay") {
    check_every_step(memory_path("undelayed", {.delays = false}));
}

TEST_CASE("every step may fail near the limit of a server that counts") {
    check_every_step(memory_path("limited", {.delivery_limit = 4}));
}

}  // namespace
