// What a server ends connections for, when it is more than one declaration.
#include "rabbitmq_client.hpp"
#include "transport/rabbitmq/declaring.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mq_harmful_test {

using namespace std::chrono_literals;
using namespace waybill::rabbitmq;
using waybill::errc;
using waybill::error;
using waybill::test::mq_client;
using waybill::test::mq_rig;

/// Two declarations, and for each of them that is not mended the server ends the connection.
struct two_declared {
    two_declared() {
        all.push_back(made("a", a_is_mended));
        all.push_back(made("b", b_is_mended));
    }
    declaration made(std::string name, const bool& is_mended) {
        const auto act = [this, &is_mended](wire& on, channel_id) -> std::expected<void, error> {
            ++tries;
            // Nobody opened the channel: 504.
            if (is_mended || on.declare(99, queue_spec{}, true)) return {};
            return std::unexpected(error{errc::connection, "it", "ended the connection", ""});
        };
        return {nullptr, true, std::move(name), act};
    }
    /// Over new connections until one stands.
    void declare() {
        tries = 0;
        for (bool stands = false; !stands;) {
            auto on = client.connector().open("declares");
            REQUIRE(on);
            stands = declare_most(**on, 1, all, known, rig.time->now()).has_value();
        }
    }

    mq_rig rig;
    mq_client client{rig.time};
    harmful known;
    std::vector<declaration> all;
    bool a_is_mended = false;
    bool b_is_mended = false;
    int tries = 0;
};

TEST_CASE("what may be declared again is tried though something else still ends connections") {
    two_declared at;
    at.declare();
    CHECK(at.tries == 2);
    at.b_is_mended = true;
    at.rig.advance(29s);
    at.declare();
    CHECK(at.tries == 0);
    at.rig.advance(1s);
    at.declare();
    CHECK(at.tries == 2);
    REQUIRE(at.all.size() == 1);
    CHECK(at.all.front().name == "a");
}

TEST_CASE("what ends connections again waits longer, whatever else was mended meanwhile") {
    two_declared at;
    at.declare();
    at.b_is_mended = true;
    at.rig.advance(30s);
    at.declare();
    const auto again = at.rig.time->now() + pause_after_end(1);
    CHECK(at.known.spared(at.all.front(), again - 1ns) != nullptr);
    CHECK(at.known.spared(at.all.front(), again) == nullptr);
}

TEST_CASE("what is harmful later does not wait for as long as what was so before") {
    two_declared at;
    at.b_is_mended = true;
    at.declare();
    at.rig.advance(30s);
    at.b_is_mended = false;
    at.all.push_back(at.made("b", at.b_is_mended));
    at.declare();
    const auto again = at.rig.time->now() + pause_after_end(0);
    REQUIRE(at.all.size() == 2);
    CHECK(at.known.spared(at.all.back(), again - 1ns) != nullptr);
    CHECK(at.known.spared(at.all.back(), again) == nullptr);
}

}  // namespace mq_harmful_test
