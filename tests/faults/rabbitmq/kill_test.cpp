/// The service is killed at every step of every move of a message, and started again.
#include "faults/proxy/proxy.hpp"
#include "faults/rabbitmq/rig.hpp"
#include "live/rig/server.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <string_view>

using namespace faults;
using namespace faults::test;
using namespace std::chrono_literals;

namespace {

/// One way of a message to where it is to go.
struct move_kind {
    std::string_view name;
    std::string_view does;
    int cap;
    int acks_from;  ///< the attempt that acks for good; 0: it ends in `.dead` or `.out`
    std::string_view ends_in;
};

constexpr move_kind moves[] = {
    {"retry copy", "retry", 5, 2, ""},
    {"waiting copy", "wait", 5, 2, ""},
    {"dead letter", "fail", 1, 0, ".dead"},
    {"staged publish", "publish", 5, 0, ".out"},
};

struct step_kind {
    std::string_view name;
    std::string_view rule;
};

/// A confirmation and an ack may speak of many at once, so there are few of these.
constexpr step_kind steps[] = {
    {"publish not sent", "client basic.publish 100 before"},
    {"publish half sent", "client basic.publish 100 inside 9"},
    {"publish sent", "client body 100 after"},
    {"confirmation not received", "server basic.ack 3 before"},
    {"confirmation received", "server basic.ack 3 after"},
    {"ack not sent", "client basic.ack 3 before"},
    {"ack sent", "client basic.ack 3 after"},
};

/// Where the messages are in the end: acked by the handler, or in the queue that they go to.
ends end_of(live::plain_client& client, const service_process& service, const move_kind& move) {
    const auto& queue = service.wanted().queue;
    auto all = move.acks_from != 0 ? acked(service, move.acks_from)
                                   : standing(client.drain(queue + std::string{move.ends_in}));
    // What comes again and was not handled yet.
    for (const auto& [payload, times] : standing(client.drain(queue))) all[payload] += times;
    return all;
}

bool has_ended(live::plain_client& client, const service_process& service, const move_kind& move) {
    const auto& queue = service.wanted().queue;
    if (client.ready(queue) != 0) return false;
    if (move.acks_from == 0)
        return client.ready(queue + std::string{move.ends_in}) >= story_messages;
    return settle_accounts(acked(service, move.acks_from), story_messages).lost == 0;
}

void kill_once(const move_kind& move, const step_kind& step, const std::string& type) {
    live::plain_client client;
    const std::string queue = "faults.kill";
    begin_story(client, queue);
    proxy between{live::server_port()};
    service_process service{{queue, type, std::string{move.does}, move.cap}};
    REQUIRE(service.start(between.port()));
    auto planned = read_rule(std::string{step.rule} + " release");
    REQUIRE(planned.has_value());
    planned->act.what = deed::call;
    planned->act.function = [&] { service.kill(); };
    between.add(*planned);
    client.fill(queue, story_messages);
    REQUIRE(between.wait_acted(1, 30s));
    CHECK(service.wait() == 128 + SIGKILL);

    REQUIRE(service.start(between.port()));
    const bool done = live::eventually([&] { return has_ended(client, service, move); }, 60s);
    CHECK(service.stop() == 0);
    const auto all = end_of(client, service, move);
    MESSAGE(move.name << ", " << step.name << ", " << type << ": "
                      << in_words(all, story_messages));
    CHECK_MESSAGE(done, service.log());
    const auto drawn = settle_accounts(all, story_messages);
    CHECK(drawn.lost == 0);
    CHECK(drawn.duplicates <= in_hand);
}

}  // namespace

TEST_CASE("a kill at any step of a move loses nothing") {
    const auto began = live::log_size();
    for (const auto& move : moves) {
        for (const auto& step : steps) {
            // On 3.10 each step once, each move with a queue of one type.
            const bool once = live::server_version().major < 4;
            const bool waits = move.does == "wait" || move.does == "fail";
            // What counts failures itself copies nothing for a retry.
            const bool counts = live::server_version() >= live::version{4, 3};
            const bool copies = !(counts && move.does == "retry");
            if (!once || !waits) kill_once(move, step, "classic");
            if ((!once || waits) && copies) kill_once(move, step, "quorum");
        }
    }
    CHECK(live::log_since(began).find("unknown delivery tag") == std::string::npos);
}

TEST_CASE("a message that kills the process is dead after its attempts, alone") {
    live::plain_client client;
    const std::string queue = "faults.killer";
    begin_story(client, queue);
    service_process service{{queue, "quorum", "ack", 5}};
    REQUIRE(service.start(live::server_port()));
    CHECK(service.stop() == 0);
    for (int each = 0; each < story_messages; ++each) {
        client.publish("", queue, each == 57 ? "killer" : std::to_string(each));
    }
    client.confirm();
    int lives = 0;
    while (client.ready(queue + ".dead") == 0 && lives < 30) {
        const auto deaths = service.runs()["killer"].size();
        service.launch(live::server_port());  // it may be dead before it says that it has started
        ++lives;
        const auto is_dead = [&] { return client.ready(queue + ".dead") == 1; };
        const auto kills = [&] { return service.runs()["killer"].size() > deaths; };
        REQUIRE(live::eventually([&] { return is_dead() || kills(); }));
        if (!kills()) break;
        CHECK(service.wait() == 128 + SIGKILL);
    }
    CHECK(live::eventually([&] {
        return static_cast<int>(acked(service, 1).size()) == story_messages;  // and the killer
    }));
    CHECK(service.stop() == 0);
    auto all = acked(service, 1);
    MESSAGE("the killer ran " << all["killer"] << " times in " << lives << " lives");
    // Where every return counts, attempts are not told from returns: 10 more end the loop.
    const bool counts = live::server_version() >= live::version{4, 3};
    CHECK(all["killer"] >= 5);
    CHECK(all["killer"] <= (counts ? 5 : 16));
    CHECK(client.drain(queue).empty());
    const auto dead = client.drain(queue + ".dead");
    REQUIRE(dead.size() == 1);
    CHECK(dead.front().body == "killer");
    CHECK(dead.front().text("waybill-dead-reason") == "redelivered");
}
