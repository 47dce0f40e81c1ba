/// What a run does to its server by somebody else's hand.
#pragma once

#include <functional>
#include <string>

namespace waybill::scenario {

/// Each returns what went wrong, or "".
struct server_control {
    std::function<std::string()> restart;
    std::function<std::string(const std::string& address)> remove;
};

/// A program that is called with `restart`, or with `delete` and the address, and waited for.
[[nodiscard]] server_control control_by(const std::string& program);

}  // namespace waybill::scenario
