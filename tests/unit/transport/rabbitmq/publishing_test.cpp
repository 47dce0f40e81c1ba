// What becomes of a publish that comes while the connection is closed.
#include "transport/rabbitmq/publishing.hpp"

#include <waybill/clock.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace mq_publishing_test {

using namespace waybill::rabbitmq;
using waybill::detail::publish_status;

struct host final : waybill::detail::transport_host {
    [[nodiscard]] std::shared_ptr<waybill::clock> time() const noexcept override { return {}; }
    void timer_changed() noexcept override {}
};

struct told final : waybill::detail::publish_ticket {
    void published(publish_status status) noexcept override { all.push_back(status); }
    std::vector<publish_status> all;
};

TEST_CASE("what is submitted before the end is told, and what comes later is not taken") {
    host of;
    publishing at{std::make_shared<broker::data>(), of, "broker"};
    told before;
    auto& first = *at.spare();
    first.ticket = &before;
    CHECK(at.submit(first));
    at.end_all();
    CHECK(before.all == std::vector{publish_status::lost});

    told after;
    auto& late = *at.spare();
    late.ticket = &after;
    CHECK_FALSE(at.submit(late));
    at.discard(late);
    CHECK(after.all.empty());
}

TEST_CASE("what a large message took is not kept for the next one, and what a small one took is") {
    host of;
    publishing at{std::make_shared<broker::data>(), of, "broker"};
    constexpr std::size_t large = std::size_t{64} * 1024;
    for (const auto size : {large, large + 1}) {
        auto& used = *at.spare();
        used.bytes.resize(size);
        at.discard(used);
        auto& next = *at.spare();
        CHECK(next.bytes.capacity() == (size == large ? large : 0));
        at.discard(next);
    }
}

}  // namespace mq_publishing_test
