#include "live/rig/server.hpp"
#include "transport/rabbitmq/fields.hpp"
#include "wire_rig.hpp"

#include <limits>
#include <map>
#include <string>

using namespace live::wire_rig;
using rabbitmq::as;
using rabbitmq::wire_type;
using waybill::header_value;

namespace {

/// A queue with a consumer, and confirms.
struct line {
    explicit line(std::string_view queue) : name{queue}, wire{opened()} {
        REQUIRE(wire->open_channel(1).has_value());
        REQUIRE(wire->select_confirms(1).has_value());
        REQUIRE(wire->prefetch(1, 50).has_value());
        REQUIRE(wire->declare(1, own(name), false).has_value());
    }
    ~line() { wire->close(); }

    void consume() { REQUIRE(wire->consume(1, name, "c", false, {}).has_value()); }
    auto publish(std::span<const std::byte> packed, std::string_view body) {
        return wire->publish(1, {"", name, packed, as_bytes(body), true});
    }
    witness::message one_way(const waybill::headers& all, std::string_view body) {
        REQUIRE(publish(all.packed(), body).has_value());
        const auto before = seen.messages.size();
        until(*wire, seen,
              [&] { return seen.messages.size() > before && seen.messages.back().whole; });
        wire->ack(1, seen.messages.back().tag, false);
        return seen.messages.back();
    }

    std::string name;
    std::unique_ptr<rabbitmq::wire> wire;
    witness seen;
};

std::span<const std::byte> literal(std::string_view text) { return as_bytes(text); }

/// From 4.0 on in the order of their names, of several with one name the first, and an unsigned
/// number of 64 bits as the signed one of the same bits.
waybill::headers as_the_server_keeps(const waybill::headers& all) {
    if (live::server_version() < live::version{4, 0}) return all;
    std::map<std::string, waybill::header_value> kept;
    for (const auto& each : all) kept.emplace(each.name, each.value);
    waybill::headers sorted;
    for (const auto& [name, value] : kept) {
        const bool is_unsigned = wire_type{value.wire_type()} == wire_type::u64;
        const auto bits = value.unsigned_integer().value_or(0);
        sorted.append(name, is_unsigned ? header_value{static_cast<std::int64_t>(bits)} : value);
    }
    return sorted;
}

}  // namespace

TEST_SUITE("live: messages over a wire") {
    TEST_CASE("a publish is confirmed, and consumed with all its bytes") {
        line to{"bodies"};
        to.consume();
        for (const std::size_t size : {0U, 1U, 100U, 131'064U, 131'065U, 1'000'000U}) {
            CAPTURE(size);
            std::string body(size, '\0');
            for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<char>(i * 31 >> 3);
            const auto came = to.one_way({}, body);
            CHECK(came.body == body);
            CHECK(came.consumer == "c");
            CHECK(came.key == "bodies");
            CHECK(came.exchange.empty());
            CHECK_FALSE(came.redelivered);
        }
        until(*to.wire, to.seen, [&] { return to.seen.settled == 6; });
    }

    TEST_CASE("what nobody takes is returned before it is confirmed") {
        line to{"returns"};
        const waybill::headers id{{rabbitmq::property::message_id, "m-1"}};
        REQUIRE(to.wire->publish(1, {"", "no such queue", id.packed(), literal("lost"), true})
                    .has_value());
        REQUIRE(to.publish({}, "kept").has_value());
        until(*to.wire, to.seen, [&] { return to.seen.settled == 2; });
        REQUIRE(to.seen.told.size() >= 2);
        CHECK(to.seen.told[0] == "returned 312 /no such queue m-1");
        CHECK(to.seen.told[1].starts_with("ack 1:"));
    }

    TEST_CASE("a publish to an exchange that there is not closes its channel alone") {
        line to{"closing"};
        REQUIRE(to.wire->open_channel(2).has_value());
        REQUIRE(to.wire->publish(2, {"no such exchange", "k", {}, literal("x"), true}).has_value());
        until(*to.wire, to.seen, [&] { return to.seen.was_told("closed 2: 404 NOT_FOUND"); });
        // On a channel that is closed nothing is written.
        CHECK(to.wire->publish(2, {"", "closing", {}, literal("x"), true}).has_value());
        to.wire->ack(2, 7, false);
        to.consume();
        CHECK(to.one_way({}, "still here").body == "still here");
    }

    TEST_CASE("ack, nack and reject") {
        line to{"settling"};
        to.consume();
        for (const auto* text : {"a", "b", "c", "d"}) REQUIRE(to.publish({}, text).has_value());
        until(*to.wire, to.seen, [&] { return to.seen.messages.size() == 4; });
        auto& seen = to.seen.messages;
        to.wire->ack(1, seen[1].tag, true);
        to.wire->nack(1, seen[2].tag, false, true);
        to.wire->reject(1, seen[3].tag, false);
        until(*to.wire, to.seen, [&] { return seen.size() == 5; });
        CHECK(seen[4].body == "c");
        CHECK(seen[4].redelivered);
        to.wire->reject(1, seen[4].tag, true);
        until(*to.wire, to.seen, [&] { return seen.size() == 6; });
        to.wire->ack(1, seen[5].tag, false);
        REQUIRE(to.wire->cancel(1, "c").has_value());
        const auto left = to.wire->declare(1, named(to.name), true);
        REQUIRE(left.has_value());
        CHECK(left->messages == 0);
    }

    TEST_CASE("an ack of what is not in hand closes the channel, and the next answer says so") {
        line to{"unknown tag"};
        to.wire->ack(1, 999, false);
        CHECK(refused(to.wire->prefetch(1, 1))
                  .starts_with("406 PRECONDITION_FAILED - unknown delivery tag 999"));
        REQUIRE(to.wire->open_channel(1).has_value());
    }

    TEST_CASE(
        "what comes while an answer is awaited is told by the next read, though the socket is "
        "silent") {
        line to{"held"};
        to.consume();
        for (int i = 0; i < 10; ++i) REQUIRE(to.publish({}, std::to_string(i)).has_value());
        REQUIRE(to.wire->open_channel(2).has_value());
        // Every answer of this channel comes behind what the first one was sent.
        for (int i = 0; i < 50; ++i) REQUIRE(to.wire->declare(2, named(to.name), true).has_value());
        to.wire->wait(5s);
        const auto some = to.wire->read(to.seen);
        REQUIRE(some.has_value());
        CHECK(*some);
        until(*to.wire, to.seen, [&] { return to.seen.messages.size() == 10; });
        for (int i = 0; i < 10; ++i)
            CHECK(to.seen.messages[static_cast<std::size_t>(i)].body == std::to_string(i));
    }

    TEST_CASE("every property comes back as it was sent") {
        line to{"properties"};
        to.consume();
        const auto user = settings(environment("WAYBILL_RABBITMQ")).user;
        const waybill::headers all{{rabbitmq::property::content_type, "text/plain"},
                                   {rabbitmq::property::content_encoding, "utf-8"},
                                   {rabbitmq::property::delivery_mode, 2U},
                                   {rabbitmq::property::priority, 7U},
                                   {rabbitmq::property::correlation_id, std::string(255, 'c')},
                                   {rabbitmq::property::reply_to, "there"},
                                   {rabbitmq::property::expiration, "60000"},
                                   {rabbitmq::property::message_id, ""},
                                   {rabbitmq::property::timestamp, 1'700'000'000U},
                                   {rabbitmq::property::type, "a type"},
                                   {rabbitmq::property::user_id, user},
                                   {rabbitmq::property::app_id, "\xC3\xA9"},
                                   {rabbitmq::property::cluster_id, "cluster"}};
        CHECK(to.one_way(all, "x").all == all);
    }

    TEST_CASE("a header of every type comes back as it was sent, names that come twice included") {
        line to{"types"};
        to.consume();
        using namespace std::string_view_literals;
        waybill::headers all{
            {"null", nullptr},
            {"true", true},
            {"b", as(wire_type::i8, -128)},
            {"B", as(wire_type::u8, 255U)},
            {"s", as(wire_type::i16, -32'768)},
            {"u", as(wire_type::u16, 65'535U)},
            {"I", as(wire_type::i32, INT32_MIN)},
            {"i", as(wire_type::u32, UINT32_MAX)},
            {"l", std::int64_t{INT64_MIN}},
            {"L", as(wire_type::u64, std::uint64_t{UINT64_MAX})},
            {"f", as(wire_type::f32, 1.5)},
            {"d", 0.1},
            {"T", as(wire_type::timestamp, 1'700'000'000U)},
            {"D", as(wire_type::decimal, literal("\x02\x00\x00\x01\x00"sv))},
            {"S", "text"},
            {"empty", ""},
            {"not UTF-8", as(wire_type::long_string, literal("\xFF\xFE"))},
            {"x", literal("\x00\xFF\x10"sv)},
            {"F", as(wire_type::table,
                     literal("\x01kt\x01\x01nF\x00\x00\x00\x03\x00V\x01"sv.substr(0, 12)))},
            {"A", as(wire_type::array, literal("t\x01S\x00\x00\x00\x01zA\x00\x00\x00\x02t\x00"sv))},
            {std::string(255, 'n'), 1},
            {"", 2},
            {"twice", 1},
            {"twice", 2}};
        // A valid table in a table: {"k": true, "n": {"": null}}.
        all.set("F", as(wire_type::table, literal("\x01kt\x01\x01nF\x00\x00\x00\x02\x00V"sv)));
        const auto came = to.one_way(all, "x");
        CHECK(came.all == as_the_server_keeps(all));
    }

    TEST_CASE("a message that the protocol cannot hold fails alone") {
        line to{"refused"};
        to.consume();
        const auto why = [&](const waybill::headers& all) {
            const auto done = to.publish(all.packed(), "x");
            REQUIRE_FALSE(done.has_value());
            CHECK(done.error().code == waybill::errc::refused);
            return done.error().message();
        };
        CHECK(why({{std::string(256, 'n'), 1}}).find("The name is longer than 255 bytes") !=
              std::string::npos);
        CHECK(why({{"n", std::uint64_t{1} << 63U}}).find("header \"n\": The number is outside") !=
              std::string::npos);
        CHECK(why({{"big", std::string(131'072, 'b')}}).find("and a frame holds 131072") !=
              std::string::npos);
        CHECK(why({{"t", as(wire_type::table, literal("\x05short"))}})
                  .find("not a value of the type") != std::string::npos);
        CHECK(why({{rabbitmq::property::priority, 256U}}).find("0 to 255") != std::string::npos);
        CHECK(why({{":no_such", 1}}).find("no property of that name") != std::string::npos);
        // For which every server would end the connection (541).
        CHECK(why({{"n", std::numeric_limits<double>::quiet_NaN()}}).find("(NaN)") !=
              std::string::npos);
        // The largest header that fits: a frame less what stands around it.
        const waybill::headers largest{{"n", std::string(131'072 - 8 - 14 - 4 - 2 - 5, 'b')}};
        CHECK(to.one_way(largest, "last").all == largest);
        until(*to.wire, to.seen, [&] { return to.seen.settled == 1; });
    }

    TEST_CASE("a connection that falls is told of once everything before it was read") {
        line to{"falling"};
        auto& wire = *to.wire;
        REQUIRE(wire.open_channel(2).has_value());
        // A body before its method: the server ends the connection with 505.
        static_cast<void>(wire.publish(1, {"", to.name, {}, literal("x"), true}));
        REQUIRE(wire.flush().has_value());
        until(wire, to.seen, [&] { return to.seen.settled == 1; });
        static_cast<void>(wire.open_channel(2));
        CHECK(refused(wire.read(to.seen)).starts_with("504 CHANNEL_ERROR"));
        CHECK(wire.publish(1, {"", to.name, {}, literal("x"), true}).has_value());
        wire.wait(5s);
        wire.close();
    }
}
