// Every step of every story fails once, on the memory server: what it promises to a person holds
// whatever happens at whichever moment. WAYBILL_EVERY_STEP=retry/copies/3/later/17/lost runs one.
#include "support/every_step.hpp"

#include <waybill/memory.hpp>

#include <doctest/doctest.h>

#include <memory>

namespace {

using waybill::memory::counting;

support::tried_path memory_path(const char* name, waybill::memory::options how) {
    how.outlives_crash = true;
    return {name,
            [how] {
                const waybill::memory::server at{how};
                return support::tried_server{std::make_shared<waybill::memory::broker>(at),
                                             [at] { at.drop_connections(); }};
            },
            waybill::memory::queue};
}

void tell_all(const support::tried_path& path) {
    const auto only = support::only_this_step();
    const auto report = support::every_step(path, only);
    MESSAGE(path.name << ": " << report.runs << " runs");
    CHECK_MESSAGE(report.problems.empty(), report.problems);
    if (only.empty()) CHECK(report.runs > 1000);
}

TEST_CASE("every step may fail on a server that counts and delays") {
    tell_all(memory_path("counting", {}));
}

TEST_CASE("every step may fail on a server that counts and does not delay") {
    tell_all(memory_path("undelayed", {.delays = false}));
}

TEST_CASE("every step may fail near the limit of a server that counts") {
    tell_all(memory_path("limited", {.delivery_limit = 4}));
}

TEST_CASE("every step may fail on a server that counts every return") {
    tell_all(memory_path("returns", {.counts = counting::returns, .delivery_limit = 20}));
}

TEST_CASE("every step may fail where every retry is a copy that waits in the process") {
    tell_all(memory_path("copies", {.counts = counting::none, .delays = false}));
}

TEST_CASE("every step may fail where every retry is a copy that the server delays") {
    tell_all(memory_path("delayed_copies", {.counts = counting::none}));
}

}  // namespace
