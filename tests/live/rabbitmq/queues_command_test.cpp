// The command `waybill queues`: its words and its exit codes.
#include "faults/proxy/proxy.hpp"
#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "transport/rabbitmq/waits.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace live;
using namespace std::chrono_literals;

namespace live::queues_command_tests {

namespace rabbitmq = waybill::rabbitmq;

/// `waybill queues VERB URL ORIGIN`
ended queues(const std::string& verb, const std::string& url, const std::string& origin) {
    return run_command(std::string{WAYBILL_TOOL} + " queues " + verb + " '" + url + "' " + origin);
}

/// An origin and a waiting queue of it for a second, both empty. Nothing leaves it by itself.
struct empty_pair {
    explicit empty_pair(std::string name) : origin{std::move(name)} {
        waits = rabbitmq::waiting_queue_name(1s, rabbitmq::queue_type::quorum,
                                             login_of_server().vhost, origin);
        client.make_queue(origin, {{"x-queue-type", "quorum"}});
        client.make_queue(waits, {{"x-queue-type", "quorum"},
                                  {"x-dead-letter-exchange", ""},
                                  {"x-dead-letter-routing-key", origin}});
    }
    ~empty_pair() {
        client.delete_queue(waits);
        client.delete_queue(origin);
    }
    empty_pair(const empty_pair&) = delete;
    empty_pair& operator=(const empty_pair&) = delete;

    plain_client client;
    std::string origin;
    std::string waits;
};

}  // namespace live::queues_command_tests

using namespace live::queues_command_tests;

TEST_CASE("the command lists a waiting queue, and deletes it when it is found empty twice") {
    empty_pair pair{"queues.command"};
    const auto listed = queues("list", server_url(), pair.origin);
    CHECK(listed.code == 0);
    CHECK(listed.said ==
          "origin              delay  type     waiting\n"
          "queues.command         1s  quorum         0\n");
    const auto pruned = queues("prune", server_url(), pair.origin);
    CHECK(pruned.code == 0);
    CHECK(pruned.said ==
          "1 empty quorum queue: looking again in 1s\n"
          "origin              delay  type     waiting\n"
          "queues.command         1s  quorum         0  deleted\n"
          "1 of 1 deleted\n");
    CHECK(!pair.client.exists(pair.waits));
    const auto none = queues("list", server_url(), pair.origin);
    CHECK(none.code == 0);
    CHECK(none.said == "There are no waiting queues of queues.command.\n");
}

TEST_CASE("what begins to wait just before a waiting queue is deleted is said, and is a failure") {
    empty_pair pair{"queues.command.late"};
    faults::proxy between{server_port()};
    faults::rule late;
    late.from = faults::side::client;
    late.what = "queue.delete";
    late.at = 0;
    late.act.what = faults::deed::call;
    late.act.function = [&] {
        plain_client other;
        other.publish("", pair.waits, "late");
        other.confirm();
    };
    between.add(late);
    const auto pruned = queues("prune", server_url(between.port()), pair.origin);
    CHECK(between.acted() == 1);
    CHECK(pruned.code == 1);
    CHECK(pruned.said ==
          "1 empty quorum queue: looking again in 1s\n"
          "origin                   delay  type     waiting\n"
          "queues.command.late         1s  quorum         0  deleted, and lost what began to wait "
          "meanwhile: 1 message\n"
          "1 of 1 deleted\n");
}

TEST_CASE("the command refuses what is no URL, no address and no queue that is there") {
    const auto no_url = queues("list", "localhost", "orders");
    CHECK(no_url.code == 2);
    CHECK(no_url.said.find("localhost") != std::string::npos);
    const auto no_address = queues("list", server_url(), "/exchanges");
    CHECK(no_address.code == 2);
    CHECK(no_address.said.find("/exchanges") != std::string::npos);
    const auto not_there = queues("list", server_url(), "queues.not.there");
    CHECK(not_there.code == 2);
    CHECK(not_there.said ==
          "There is no queue queues.not.there in the virtual host, and none waits for it.\n");
    const auto nobody = queues("list", at_port(server_url(), 1), "orders");
    CHECK(nobody.code == 1);
    CHECK_MESSAGE(nobody.said.find(login_of_server().password) == std::string::npos, nobody.said);
}
