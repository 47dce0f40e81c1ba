/// A service on Waybill for one run, as its users write it.
#pragma once

#include "rabbitmq/cases.hpp"
#include <waybill/rabbitmq.hpp>
#include <waybill/waybill.hpp>

#include <atomic>
#include <cstdlib>
#include <iostream>

namespace bench {

inline waybill::rabbitmq::queue read_queue(const std::string& name, const run_options& how) {
    waybill::rabbitmq::queue from{name};
    if (how.kind == queue_kind::quorum) from.quorum();
    if (how.prefetch != 0) from.prefetch(static_cast<std::uint16_t>(how.prefetch));
    return from;
}

inline void start(waybill::app& app) {
    const auto started = app.start();
    if (started) return;
    for (const auto& each : started.error()) std::cerr << each.message() << '\n';
    std::exit(1);
}

}  // namespace bench
