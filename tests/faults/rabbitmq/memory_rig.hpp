/// A service that fails every message of a long queue: how its memory grows.
#pragma once

#include "faults/rabbitmq/rig.hpp"
#include "live/rig/server.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>

namespace faults::test {

/// Its resident memory `late` after its start is at most 1.1 x that `early` after it.
inline void fails_all(const std::string& queue, int messages, std::chrono::seconds early,
                      std::chrono::seconds late) {
    live::plain_client client;
    begin_story(client, queue);
    client.make_queue(queue);
    client.fill(queue, messages);
    service_process service{{queue, "classic", "fail", 1'000'000}};
    REQUIRE(service.start(live::server_port()));
    std::this_thread::sleep_for(early);
    const auto before = service.resident();
    std::this_thread::sleep_for(late - early);
    const auto after = service.resident();
    CHECK(service.stop() == 0);
    std::size_t handled = 0;
    for (const auto& [payload, attempts] : service.runs()) handled += attempts.size();
    MESSAGE(messages << " messages, " << handled << " failed: " << before / 1024 << " KiB after "
                     << early.count() << " s, " << after / 1024 << " KiB after " << late.count()
                     << " s");
    CHECK(handled > 1000);
    CHECK(static_cast<double>(after) <= 1.1 * static_cast<double>(before));
    // None was lost: each is back in its queue, as a copy or as itself.
    CHECK(client.ready(queue) >= static_cast<std::uint32_t>(messages));
    client.delete_queue(queue);
}

}  // namespace faults::test
