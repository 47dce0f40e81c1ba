/// Gives a service its command line: `int main(int argc, char** argv) { return
/// waybill::run_main(make_app, argc, argv); }`.
///
/// Verbs: `run` (the default), `check` (exit code 2 and every problem when the wiring is wrong),
/// `describe [--json]`; also `--help` and `--version`. `--log-level` and `--log-format` hold for
/// `run`. An unknown verb or option: exit code 64. What `make_app` throws is printed: exit code 1.
#pragma once

#include <waybill/app.hpp>
#include <waybill/export.h>

#include <concepts>
#include <functional>
#include <type_traits>

namespace waybill {

/// `make_app` is called once. Returns the exit code for `main`.
WAYBILL_API int run_main(const std::function<app()>& make_app, int argc, char** argv);

template <std::same_as<app> App>  // never compiles: says why
int run_main(App, int, char**) {
    static_assert(!std::is_same_v<App, app>,
                  "waybill: run_main makes the app itself: give it the function that does, "
                  "without calling it");
    return 2;
}

}  // namespace waybill
