/// Finds what is wrong with an app's wiring, all at once, without connecting.
#pragma once

#include <waybill/error.hpp>

#include <vector>

namespace waybill::detail {
class app_core;
}

namespace waybill::wiring {

[[nodiscard]] std::vector<error> check(const detail::app_core& core);

/// Prints problems for people on standard error; says the exit code for them: 2 when they are all
/// wiring mistakes, else 1.
int report(const std::vector<error>& problems);

}  // namespace waybill::wiring
