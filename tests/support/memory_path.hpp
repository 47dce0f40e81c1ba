/// A memory server as a path for the stories of every_step.hpp, and how a test tells them all.
#pragma once

#include "every_step.hpp"
#include <waybill/memory.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

namespace support {

inline tried_path memory_path(std::string name, waybill::memory::options how) {
    how.outlives_crash = true;
    return {std::move(name),
            [how] {
                const waybill::memory::server at{how};
                return tried_server{std::make_shared<waybill::memory::broker>(at),
                                    [at] { at.drop_connections(); }};
            },
            waybill::memory::queue};
}

/// WAYBILL_EVERY_STEP=retry/copies/3/later/17/lost runs that one alone.
inline void check_every_step(const tried_path& path) {
    const auto only = only_this_step();
    const auto report = every_step(path, only);
    CHECK_MESSAGE(report.problems.empty(), report.problems);
    if (only.empty()) CHECK(report.runs > 5000);
}

}  // namespace support
