// Every step of every story fails once, on the memory server: what it promises to a person holds
// whatever happens at whichever moment. WAYBILL_EVERY_STEP=retry/copies/3/later/17/lost runs one.
#include "support/every_step.hpp"

#include <waybill/memory.hpp>

#include <doctest/doctest.h>

#include <memory>

namespace {

support::tried_path memory_path(const char* name, bool counts, bool delays) {
    const waybill::memory::options how{counts, delays, true};
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
    tell_all(memory_path("counting", true, true));
}

TEST_CASE("every step may fail where every retry is a copy that waits in the process") {
    tell_all(memory_path("copies", false, false));
}

TEST_CASE("every step may fail where every retry is a copy that the server delays") {
    tell_all(memory_path("delayed_copies", false, true));
}

TEST_CASE("every step may fail on a server that counts and does not delay") {
    tell_all(memory_path("undelayed", true, false));
}

}  // namespace
