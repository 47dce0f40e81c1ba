#include "wire_rig.hpp"

using namespace live::wire_rig;
using waybill::header_value;

TEST_SUITE("live: queues and exchanges over a wire") {
    TEST_CASE("what is declared is there, and a look at what is not closes the channel") {
        auto wire = opened();
        REQUIRE(wire->open_channel(1).has_value());
        CHECK(refused(wire->declare(1, named("nowhere"), true))
                  .starts_with("404 NOT_FOUND - no queue 'nowhere'"));
        // The channel is closed; the connection is not, and the number is free.
        REQUIRE(wire->open_channel(1).has_value());
        const auto spec = own("declared", {{"x-max-length", 10}});
        const auto state = wire->declare(1, spec, false);
        REQUIRE(state.has_value());
        CHECK(state->messages == 0);
        CHECK(state->consumers == 0);
        CHECK(wire->declare(1, named("declared"), true).has_value());
        auto other = spec;
        other.arguments = {{"x-max-length", 11}};
        const auto text = refused(wire->declare(1, other, false));
        CHECK(text.starts_with("406 PRECONDITION_FAILED - inequivalent arg 'x-max-length'"));
        REQUIRE(wire->open_channel(1).has_value());
        const auto deleted = wire->delete_queue(1, "declared", false, false);
        REQUIRE(deleted.has_value());
        CHECK(*deleted == 0);
        wire->close();
    }

    TEST_CASE("exchanges are declared and bound") {
        auto wire = opened();
        witness seen;
        REQUIRE(wire->open_channel(1).has_value());
        REQUIRE(wire->declare(1, passing("first", "topic"), false).has_value());
        REQUIRE(wire->declare(1, passing("second", "headers"), false).has_value());
        REQUIRE(wire->declare(1, own("bound"), false).has_value());
        REQUIRE(wire->bind_exchange(1, "second", "first", "a.#", {}).has_value());
        REQUIRE(wire->bind_queue(1, "bound", "second", "", {{"x-match", "all"}, {"kind", "wanted"}})
                    .has_value());
        REQUIRE(wire->consume(1, "bound", "c", true, {}).has_value());
        const waybill::headers wanted{{"kind", "wanted"}};
        REQUIRE(
            wire->publish(1, {"first", "a.b", wanted.packed(), as_bytes("yes"), true}).has_value());
        until(*wire, seen, [&] { return !seen.messages.empty() && seen.messages[0].whole; });
        CHECK(seen.messages[0].exchange == "first");
        CHECK(seen.messages[0].key == "a.b");
        CHECK(refused(wire->declare(1, passing("first", "fanout"), false))
                  .starts_with("406 PRECONDITION_FAILED - inequivalent arg 'type'"));
        wire->close();
    }

    TEST_CASE("a name that the protocol cannot hold closes the channel as the server would") {
        auto wire = opened();
        REQUIRE(wire->open_channel(1).has_value());
        const auto text = refused(wire->declare(1, named(std::string(256, 'n')), false));
        CHECK(text.starts_with("406 queue.declare was not sent: the name \"nnn"));
        REQUIRE(wire->open_channel(1).has_value());
        CHECK(wire->declare(1, own(std::string(255, 'n')), false).has_value());
        wire->close();
    }

    TEST_CASE("what closes the connection says so with the server's code, and so does the flush") {
        auto wire = opened();
        REQUIRE(wire->open_channel(1).has_value());
        // A channel may be opened once.
        const auto text = refused(wire->open_channel(1));
        CHECK(text.starts_with("504 CHANNEL_ERROR"));
        CHECK(refused(wire->flush()).starts_with("504 CHANNEL_ERROR"));
        CHECK(refused(wire->open_channel(2)).starts_with("504 "));
        wire->close();
    }

    TEST_CASE("a queue that is deleted cancels its consumers") {
        auto wire = opened();
        auto other = opened();
        witness seen;
        REQUIRE(wire->open_channel(3).has_value());
        REQUIRE(other->open_channel(1).has_value());
        auto doomed = named("to-be-deleted");
        doomed.auto_delete = true;
        REQUIRE(wire->declare(3, doomed, false).has_value());
        REQUIRE(wire->consume(3, "to-be-deleted", "watcher", false, {}).has_value());
        REQUIRE(other->delete_queue(1, "to-be-deleted", false, false).has_value());
        until(*wire, seen, [&] { return seen.was_told("cancelled 3:watcher"); });
        CHECK(wire->cancel(3, "watcher").has_value());
        CHECK(wire->close_channel(3).has_value());
    }
}
