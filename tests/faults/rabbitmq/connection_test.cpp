/// The connections of a running service are cut, stalled and split, at every place of a stream.
#include "faults/proxy/proxy.hpp"
#include "faults/rabbitmq/rig.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <utility>

using namespace faults;
using namespace faults::test;
using namespace std::chrono_literals;

namespace {

/// 3.10 runs in every test run and sees some of the places, the newer ones see all.
bool is_thorough() { return live::server_version().major >= 4; }

/// To the server of the environment, by TCP or by TLS.
struct way {
    bool is_tls = false;

    [[nodiscard]] std::uint16_t port() const {
        return is_tls ? static_cast<std::uint16_t>(
                            std::stoi(live::environment("WAYBILL_RABBITMQ_TLS_PORT")))
                      : live::server_port();
    }
    /// Through a port of this machine, whose certificate is looked at as ever.
    [[nodiscard]] std::string url(std::uint16_t through) const {
        if (!is_tls) return live::server_url(through);
        return live::at_port(live::environment("WAYBILL_RABBITMQ_TLS"), through) +
               "?cacertfile=" + live::environment("WAYBILL_RABBITMQ_CERTIFICATES") + "/ca.crt";
    }
};

/// Ten messages, two for each way of a message, through a proxy. What an earlier story doubled may
/// come back from its wait in this one: each marks its own.
class story {
public:
    static constexpr int messages = 10;

    explicit story(waybill::rabbitmq::queue_type type, std::uint64_t seed = 1,
                   const std::string& query = {}, way over = {})
        : between_{proxy_options{.server_port = over.port(), .seed = seed}},
          service_{over.url(between_.port()) + query} {
        begin_story(client_, queue);
        service_
            .subscribe(waybill::rabbitmq::queue{queue}.type(type),
                       [this](const live::call& seen, waybill::context& at) -> waybill::outcome {
                           if (!seen.body.ends_with(mark_)) return waybill::ack();
                           const auto way = way_of(seen.body);
                           if (way == 1 && seen.attempt == 1) return waybill::retry();
                           if (way == 2 && seen.attempt == 1) return waybill::retry_after(120ms);
                           if (way == 3) return waybill::retry();
                           if (way == 4) at.publish(queue + ".out", at.message().payload());
                           return waybill::ack();
                       })
            .max_attempts(3)
            .dead_letter(queue + ".dead");
        service_.start();
    }

    proxy& between() noexcept { return between_; }
    live::service& service() noexcept { return service_; }

    /// Publishes them, and waits until each has come to its end.
    void run(const std::string& what) {
        client_.fill(queue, messages, mark_);
        const bool done = live::eventually([&] { return lost_so_far() == 0; }, 60s);
        between_.clear();
        CHECK_MESSAGE(done, what << "\n" << service_.log());
        CHECK(service_.stop());
        add(standing(client_.drain(queue + ".dead")));
        add(standing(client_.drain(queue + ".out")));
        add(standing(client_.drain(queue)));
        const auto drawn = settle_accounts(all_, messages);
        CHECK_MESSAGE(drawn.lost == 0, what << ": " << in_words(all_, messages) << "\n"
                                            << service_.log());
        duplicates += drawn.duplicates;
        // The server closes a channel on which somebody settles what is not its own.
        CHECK_MESSAGE(service_.log().find("delivery tag") == std::string::npos, service_.log());
    }

    static inline int duplicates = 0;
    static inline const std::string queue = "faults.connection";

private:
    static int way_of(const std::string& body) { return (body.front() - '0') % 5; }
    void add(const ends& more) {
        for (const auto& [payload, times] : more) add(payload, times);
    }
    void add(std::string_view payload, int times) {
        if (payload.ends_with(mark_)) all_[std::string{payload.substr(0, 1)}] += times;
    }
    /// Of those that are acked by the handler; what stands in queues is counted by the server.
    int lost_so_far() {
        all_.clear();
        for (const auto& each : service_.calls(queue)) {
            const auto way = way_of(each.body);
            if (way == 0 || ((way == 1 || way == 2) && each.attempt > 1)) add(each.body, 1);
        }
        const auto stand =
            client_.ready(queue + ".dead") >= 2 && client_.ready(queue + ".out") >= 2;
        return stand && all_.size() == 6 && client_.ready(queue) == 0 ? 0 : 1;
    }

    static inline int stories = 0;
    const std::string mark_ = " of story " + std::to_string(++stories);
    live::plain_client client_;
    proxy between_;
    live::service service_;
    ends all_;
};

waybill::rabbitmq::queue_type type_for(std::uint64_t number) {
    return number % 2 == 0 ? waybill::rabbitmq::queue_type::classic
                           : waybill::rabbitmq::queue_type::quorum;
}

/// How many frames and bytes a side sends in a story that nothing disturbs.
struct sizes {
    std::uint64_t frames;
    std::uint64_t bytes;
};
sizes sizes_of(side from, waybill::rabbitmq::queue_type type, way over = {}) {
    story calm{type, 1, {}, over};
    const auto before = calm.between().seen(from, "frame");
    calm.run("undisturbed");
    return {calm.between().seen(from, "frame") - before, calm.between().most_bytes(from)};
}

/// Once for each rule, of which some count on 3.10. How many came twice.
int at_every_boundary(const std::string& action, std::uint64_t step) {
    std::uint64_t places = 0;
    for (const auto from : {side::client, side::server}) {
        const auto frames = sizes_of(from, type_for(0)).frames;
        for (std::uint64_t at = 1; at <= frames; at += is_thorough() ? 1 : step) {
            const auto rule =
                std::string{to_text(from)} + " frame " + std::to_string(at) + " before " + action;
            story told{type_for(at)};
            told.between().add(rule);
            told.run(rule);
            ++places;
        }
    }
    const auto duplicates = std::exchange(story::duplicates, 0);
    MESSAGE(action << " at " << places << " boundaries: lost 0, duplicates " << duplicates);
    return duplicates;
}

class no_wrong_settlement {
public:
    ~no_wrong_settlement() {
        const auto said = live::log_since(began_);
        CHECK_MESSAGE(said.find("unknown delivery tag") == std::string::npos, said);
    }

private:
    std::size_t began_ = live::log_size();
};

/// So many places in what each side sends.
void cut_at_random_bytes(way over, int rounds) {
    const no_wrong_settlement looked_for;
    constexpr std::uint64_t seed = 20'261;
    std::minstd_rand random{seed};
    std::uint64_t cuts = 0;
    for (const auto from : {side::client, side::server}) {
        const auto bytes = sizes_of(from, type_for(0), over).bytes;
        for (int round = 0; round < rounds; ++round) {
            story told{type_for(random()), 1, {}, over};
            // What the opening took has passed already.
            const auto begun = told.between().most_bytes(from);
            const auto at = begun + random() % std::max<std::uint64_t>(bytes - begun, 1);
            const auto rule =
                std::string{to_text(from)} + " byte " + std::to_string(at) + " cut reset";
            told.between().add(rule);
            told.run(rule);
            cuts += told.between().acted();
        }
    }
    // A place may lie behind the last byte of a story that was shorter than the one measured.
    CHECK(cuts >= static_cast<std::uint64_t>(rounds));
    MESSAGE("seed " << seed << ": " << cuts << " cuts, lost 0, duplicates "
                    << std::exchange(story::duplicates, 0));
}

}  // namespace

TEST_CASE("a connection that is cut at any boundary of frames loses nothing") {
    const no_wrong_settlement looked_for;
    at_every_boundary("cut reset", 9);
}

TEST_CASE("a connection that ends in order at any boundary of frames loses nothing") {
    const no_wrong_settlement looked_for;
    at_every_boundary("cut close", 17);
}

TEST_CASE("a connection that stalls at any boundary of frames goes on where it was") {
    const no_wrong_settlement looked_for;
    CHECK(at_every_boundary("stall 60", 17) == 0);
}

TEST_CASE("a connection that is cut at any byte loses nothing") {
    cut_at_random_bytes({}, is_thorough() ? 60 : 8);
}

TEST_CASE("a connection over TLS that is cut at any byte loses nothing") {
    cut_at_random_bytes({.is_tls = true}, is_thorough() ? 30 : 5);
}

TEST_CASE("bytes may come in any portions") {
    const no_wrong_settlement looked_for;
    for (std::uint64_t seed = 1; seed <= (is_thorough() ? 10 : 3); ++seed) {
        story told{type_for(seed), seed};
        told.between().act(seed % 2 == 0 ? "split bytes" : "split random");
        told.run("split, seed " + std::to_string(seed));
    }
    CHECK(story::duplicates == 0);
}

TEST_CASE("a reconnect that is cut in its midst is begun anew") {
    const no_wrong_settlement looked_for;
    for (std::uint64_t at = 1; at <= 45; at += is_thorough() ? 1 : 6) {
        const auto rule = "any frame " + std::to_string(at) + " before cut reset";
        story told{type_for(at)};
        told.between().add(rule);
        told.between().act("cut all reset");
        told.run(rule);
    }
    MESSAGE("lost 0, duplicates " << story::duplicates);
    story::duplicates = 0;
}

TEST_CASE("a server that is silent for longer than the heartbeats allow is left") {
    const no_wrong_settlement looked_for;
    story told{type_for(0), 1, "?heartbeat=1"};
    const auto before = told.between().accepted();
    told.between().act("hold server");
    CHECK(live::eventually([&] { return told.between().accepted() >= before + 2; }));
    told.run("silent");
    story::duplicates = 0;
}
