// What each version counts, and when it is too often.
#include "rabbitmq_client.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mq_counting_test {

using namespace std::chrono_literals;
using waybill::headers;
using waybill::test::mq_client;
using waybill::test::mq_rig;
namespace mq = waybill::rabbitmq;
using mq::server_version;

/// "delivery/acquired", "-" for a header that is not there.
std::string counts_of(const headers& with) {
    const auto shown = [&](std::string_view name) {
        const auto found = with.find(name);
        return found ? found->to_string() : std::string{"-"};
    };
    return shown("x-delivery-count") + '/' + shown("x-acquired-count");
}

enum class back { nack, reject, lost };

/// The counts of the first delivery, and of that after it came back so.
std::string counted(server_version version, back how) {
    const mq_rig at{version};
    std::string all;
    mq_client client{at.time};
    client.declare("q", {{"x-queue-type", "quorum"}});
    client.consume("q", 1);
    at.server.publish("q", "x");
    client.bodies();
    all = counts_of(client.last[0].with) + ' ';
    const auto tag = client.last[0].tag;
    if (how == back::nack) client->nack(1, tag, false, true);
    if (how == back::reject) client->reject(1, tag, true);
    if (how == back::lost) at.server.drop_connections();
    mq_client next{at.time};
    if (how == back::lost) next.consume("q", 1);
    auto& reader = how == back::lost ? next : client;
    CHECK(reader.bodies() == "x+");
    return all + counts_of(reader.last[0].with);
}

TEST_CASE("what counts, by version") {
    for (const auto how : {back::nack, back::reject, back::lost}) {
        CHECK(counted(server_version::v3_10, how) == "-/- 1/-");
        CHECK(counted(server_version::v4_0, how) == "-/- 1/-");
    }
    CHECK(counted(server_version::v4_3, back::nack) == "-/- -/1");
    CHECK(counted(server_version::v4_3, back::reject) == "-/- 1/1");
    CHECK(counted(server_version::v4_3, back::lost) == "-/- 1/1");
}

/// How often it is delivered until it is in the dead-letter queue, or at most 50 times.
int deliveries_until_dead(server_version version, const headers& arguments, back how) {
    const mq_rig at{version};
    mq_client client{at.time};
    headers all{{"x-queue-type", "quorum"},
                {"x-dead-letter-exchange", ""},
                {"x-dead-letter-routing-key", "dead"}};
    for (const auto& each : arguments) all.append(each.name, each.value);
    client.declare("dead");
    client.declare("q", all);
    client.consume("q", 1);
    at.server.publish("q", "x");
    int times = 0;
    while (times < 50) {
        if (client.bodies().empty()) break;
        ++times;
        const auto tag = client.last[0].tag;
        if (how == back::nack) client->nack(1, tag, false, true);
        if (how == back::reject) client->reject(1, tag, true);
    }
    CHECK(at.server.queued("dead") == (times < 50 ? 1 : 0));
    return times;
}

TEST_CASE("a limit is one delivery more, and quorum queues from 4.0 on have 20 by default") {
    const headers two{{"x-delivery-limit", 2}};
    const headers none{{"x-delivery-limit", -1}};
    CHECK(deliveries_until_dead(server_version::v3_10, two, back::nack) == 3);
    CHECK(deliveries_until_dead(server_version::v4_0, two, back::nack) == 3);
    CHECK(deliveries_until_dead(server_version::v4_3, two, back::nack) == 50);
    CHECK(deliveries_until_dead(server_version::v4_3, two, back::reject) == 3);
    CHECK(deliveries_until_dead(server_version::v3_10, {}, back::nack) == 50);
    CHECK(deliveries_until_dead(server_version::v4_0, {}, back::nack) == 21);
    CHECK(deliveries_until_dead(server_version::v4_3, {}, back::reject) == 21);
    CHECK(deliveries_until_dead(server_version::v4_0, none, back::nack) == 50);
    CHECK(deliveries_until_dead(server_version::v3_10, none, back::nack) == 1);
}

TEST_CASE("classic queues count nothing, and say only that it was there before") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q");
    client.consume("q", 1);
    at.server.publish("q", "x");
    for (int times = 0; times < 30; ++times) {
        CHECK(client.bodies() == (times == 0 ? "x" : "x+"));
        CHECK(counts_of(client.last[0].with) == "-/-");
        client->nack(1, client.last[0].tag, false, true);
    }
}

TEST_CASE("a client's own count is shown until the server has one") {
    for (const auto version : {server_version::v3_10, server_version::v4_0}) {
        const mq_rig at{version};
        mq_client client{at.time};
        client.declare("q", {{"x-queue-type", "quorum"}});
        client.consume("q", 1);
        at.server.publish("q", "x", {{"x-delivery-count", 9}});
        client.bodies();
        CHECK(counts_of(client.last[0].with) == "9/-");
        client->nack(1, client.last[0].tag, false, true);
        client.bodies();
        CHECK(counts_of(client.last[0].with) == "1/-");
    }
}

TEST_CASE("a lost connection counts everything that was in hand, and nothing else") {
    const mq_rig at;
    mq_client client{at.time};
    client.declare("q", {{"x-queue-type", "quorum"}});
    client.consume("q", 2);
    for (const auto* each : {"a", "b", "c"}) at.server.publish("q", each);
    CHECK(client.bodies() == "a b");
    at.server.drop_connections();
    CHECK_FALSE(client.read());
    mq_client next{at.time};
    next.consume("q");
    CHECK(next.bodies() == "a+ b+ c");
    CHECK(counts_of(next.last[0].with) == "1/-");
    CHECK(counts_of(next.last[2].with) == "-/-");
}

}  // namespace mq_counting_test
