/// A memory server as a path for the stories of every_step.hpp.
#pragma once

#include "check_every_step.hpp"
#include <waybill/memory.hpp>

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

}  // namespace support
