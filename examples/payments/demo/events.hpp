/// What the demo sees of the service, on its way from the lanes to the thread that draws.
#pragma once

#include "gateway.hpp"
#include <waybill/headers.hpp>
#include <waybill/outcome.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace demo {

/// The handler answered one delivery.
struct handled {
    std::size_t line = 0;  ///< 0 when the message does not say
    std::uint64_t order = 0;
    payments::answer said{};
    waybill::outcome answer;
    bool replied = false;
    std::chrono::nanoseconds at{0};
};

/// A `paid` was read from its address.
struct paid_arrived {
    std::uint64_t order = 0;
    std::chrono::nanoseconds at{0};
};

/// A message was read from the dead-letter address.
struct dead_arrived {
    std::size_t line = 0;
    waybill::headers with;
    std::vector<std::byte> payload;
    std::chrono::nanoseconds at{0};
};

using event = std::variant<handled, paid_arrived, dead_arrived>;

/// Many threads put in, one takes out, in order.
class event_queue {
public:
    void put(event what) {
        const std::lock_guard lock{mutex_};
        waiting_.push_back(std::move(what));
    }

    std::vector<event> take() {
        const std::lock_guard lock{mutex_};
        return std::exchange(waiting_, {});
    }

private:
    std::mutex mutex_;
    std::vector<event> waiting_;
};

}  // namespace demo
