/// The click service, wired in three ways. In each a click that fails comes again after 30 s, and
/// is kept for a person after the fifth delivery.
#pragma once

#include "click.hpp"
#include <waybill/app.hpp>
#include <waybill/rabbitmq.hpp>

#include <chrono>
#include <memory>
#include <string_view>

namespace clicks {

/// Waybill's own way: a quorum queue, waiting queues that it makes itself, and a dead letter that
/// says why.
waybill::app make_app(std::string_view url, std::shared_ptr<click_store> store,
                      std::chrono::nanoseconds wait = std::chrono::seconds{30});

/// Over the exchanges and queues that a team has already, beside its consumers.
waybill::app make_legacy_app(std::string_view url, std::shared_ptr<click_store> store);

/// The same once no consumer of the team's is left: on its queue and failed exchange, without its
/// retry queue.
waybill::app make_app_on_team_queue(std::string_view url, std::shared_ptr<click_store> store,
                                    std::chrono::nanoseconds wait = std::chrono::seconds{30});

/// What that team has: three exchanges, each with a queue; that of the retries sends what has been
/// in it for `wait` back to the first one.
waybill::rabbitmq::broker with_team_topology(std::string_view url,
                                             std::chrono::nanoseconds wait = std::chrono::seconds{
                                                 30});

}  // namespace clicks
