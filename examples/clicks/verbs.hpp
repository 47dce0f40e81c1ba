/// What the two programs have beside the verbs of `run_main`: one app that starts and stops.
#pragma once

#include <waybill/waybill.hpp>

#include <cstdlib>
#include <expected>
#include <functional>
#include <iostream>
#include <utility>

namespace clicks {

inline const char* broker_url() {
    const char* const url = std::getenv("CLICKS_BROKER");
    return url != nullptr ? url : "amqp://localhost";
}

/// Starts the app, does it, stops the app. Returns the exit code; what went wrong is printed.
inline int once(waybill::app app, const std::function<std::expected<void, waybill::error>()>& it) {
    app.log_level(waybill::log_level::warning);
    if (const auto started = app.start(); !started) {
        for (const auto& problem : started.error()) std::cerr << problem << '\n';
        return 1;
    }
    const auto done = it();
    if (!done) std::cerr << done.error() << '\n';
    return app.stop() && done ? 0 : 1;
}

}  // namespace clicks
