#include <waybill/health.hpp>

namespace waybill {

const char* to_string(health_state state) noexcept {
    switch (state) {
        case health_state::starting:
            return "starting";
        case health_state::running:
            return "running";
        case health_state::degraded:
            return "degraded";
        case health_state::stopping:
            return "stopping";
        case health_state::stopped:
            return "stopped";
        case health_state::failed:
            return "failed";
    }
    return "unknown";
}

}  // namespace waybill
