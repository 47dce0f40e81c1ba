// Every step of the stories that move a message fails once, on RabbitMQ servers in memory. What a
// server does beside that is in every_step_on_rabbitmq_long_test.cpp, with all stories.
#include "support/rabbitmq_path.hpp"

namespace {

using namespace std::string_view_literals;
using support::check_every_step;
using support::rabbitmq_path;
using waybill::rabbitmq::queue_type;
using waybill::rabbitmq::server_version;

constexpr support::rabbitmq_setting classic{.version = server_version::v3_10};
constexpr support::rabbitmq_setting quorum{.version = server_version::v3_10,
                                           .type = queue_type::quorum};
constexpr support::rabbitmq_setting quorum_of_4_3{.version = server_version::v4_3,
                                                  .type = queue_type::quorum};

/// A copy, a wait on the server, a dead letter, and what a handler publishes.
constexpr std::array moving{"staged"sv, "retry"sv, "retry_after"sv, "undecodable"sv};

TEST_CASE("every step may fail on a classic queue, where every retry is a copy") {
    check_every_step(rabbitmq_path("classic", classic), moving);
}

TEST_CASE("every step may fail on a quorum queue that counts returns") {
    check_every_step(rabbitmq_path("quorum", quorum), moving);
}

TEST_CASE("every step may fail on a quorum queue that counts failures") {
    check_every_step(rabbitmq_path("quorum_4.3", quorum_of_4_3), moving);
}

}  // namespace
