/// RabbitMQ's part of a scenario file, as it was read.
#pragma once

#include "scenario/json.hpp"
#include "scenario/scenario.hpp"
#include "transport/rabbitmq/profile.hpp"
#include <waybill/rabbitmq.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

/// A queue's binding whose queue the topology does not declare: its subscription's does, or the
/// first that names it.
struct loose_binding {
    std::string queue;
    std::string exchange;
    std::string key;
    headers arguments;
};

struct rabbitmq_options final : broker_options {
    /// 3.10, 4.0 or 4.3. Live it must be the server's, where the file names it.
    rabbitmq::version_number version{3, 10};
    bool names_version = false;
    std::uint16_t prefetch = 0;   ///< 0: as by default
    std::uint32_t frame_max = 0;  ///< 0: as by default
    std::vector<rabbitmq::exchange> exchanges;
    std::vector<rabbitmq::queue> queues;
    std::vector<loose_binding> bindings;
    json::object topology;  ///< as the file has it

    /// Of the topology, or null.
    [[nodiscard]] const rabbitmq::queue* find(std::string_view queue) const noexcept;
};

/// "3.10".
[[nodiscard]] std::string version_text(rabbitmq::version_number version);

}  // namespace waybill::scenario
