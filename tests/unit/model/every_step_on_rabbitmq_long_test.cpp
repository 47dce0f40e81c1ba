// Every step of every story fails once, on RabbitMQ servers in memory: with connections that fall,
// with a server that restarts, with a dead letter that is an exchange, and with waits of several
// stretches.
#include "support/rabbitmq_path.hpp"

namespace {

using namespace std::chrono_literals;
using support::check_every_step;
using support::rabbitmq_path;
using support::rabbitmq_setting;
using waybill::rabbitmq::queue_type;
using waybill::rabbitmq::server_version;

/// What takes a stretch of 12 s and one of 300 ms, and the rest in hand.
constexpr auto stretched = 12'345ms;

void check_all(const std::string& name, rabbitmq_setting how) {
    check_every_step(rabbitmq_path(name, how));
    how.restarts = true;
    how.dies_to_exchange = true;
    auto harder = rabbitmq_path(name + "_harder", how);
    harder.delay = stretched;
    check_every_step(harder);
}

TEST_CASE("every step of every story may fail on a classic queue") {
    check_all("classic_3.10", {.version = server_version::v3_10});
    check_all("classic_4.3", {.version = server_version::v4_3});
}

TEST_CASE("every step of every story may fail on a quorum queue that counts returns") {
    check_all("quorum_3.10", {.version = server_version::v3_10, .type = queue_type::quorum});
    check_all("quorum_4.0", {.version = server_version::v4_0, .type = queue_type::quorum});
}

TEST_CASE("every step of every story may fail on a quorum queue that counts failures") {
    check_all("quorum_4.3", {.version = server_version::v4_3, .type = queue_type::quorum});
}

}  // namespace
