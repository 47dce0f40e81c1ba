// The same where the server counts no failures, so that every retry is a confirmed copy.
#include "support/memory_path.hpp"

namespace {

using support::check_every_step;
using support::memory_path;
using waybill::memory::counting;

TEST_CASE("every step may fail where every retry is a copy that waits in the process") {
    check_every_step(memory_path("copies", {.counts = counting::none, .delays = false}));
}

TEST_CASE("every step may fail where every retry is a copy that the server delays") {
    check_every_step(memory_path("delayed_copies", {.counts = counting::none}));
}

TEST_CASE("every step may fail on a server that counts every return") {
    check_every_step(memory_path("returns", {.counts = counting::returns, .delivery_limit = 20}));
}

}  // namespace
