/// What bench_rabbitmq can run: each figure on Waybill, and beside it the plain loop on rabbitmq-c
/// that it is held against. A run has the server to itself and deletes its queues.
#pragma once

#include "rabbitmq/raw_client.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace bench {

/// How a run is asked for.
struct run_options {
    std::string url;
    std::size_t count = 0;
    queue_kind kind = queue_kind::transient;
    std::size_t lanes = 1;
    std::size_t prefetch = 0;  ///< 0: Waybill's default
};

/// Prints its figures, a line each: a name and a number.
using rabbitmq_case = std::function<void(const run_options&)>;
using rabbitmq_cases = std::map<std::string, rabbitmq_case, std::less<>>;

/// consume.<waybill|loop>: 100 bytes, acked each.
void add_consume_cases(rabbitmq_cases& cases);
/// exact.<waybill|loop>: the same, counted and not timed.
void add_exact_cases(rabbitmq_cases& cases);
/// publish.<waybill|each|window>: 100 bytes, confirmed.
void add_publish_cases(rabbitmq_cases& cases);
/// retry.<waybill|loop>: publish a copy, wait for its confirmation, ack.
void add_retry_cases(rabbitmq_cases& cases);
/// waiting.waybill: messages in twenty delays.
void add_waiting_cases(rabbitmq_cases& cases);

}  // namespace bench
