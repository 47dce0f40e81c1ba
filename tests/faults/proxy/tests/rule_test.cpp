#include "faults/proxy/rule.hpp"

#include "faults/proxy/tests/frames.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace faults;
using namespace faults::test;

namespace {

rule good(const std::string& text) {
    auto made = read_rule(text);
    REQUIRE_MESSAGE(made, text);
    return *made;
}

std::string refused(const std::string& text) {
    const auto made = read_rule(text);
    REQUIRE_MESSAGE(!made, text);
    return made.error();
}

/// Lets the frames pass and says at which places of which something is due: "2@0 3@19 ".
std::string places(rule_book& book, side from, const std::string& bytes) {
    frame_reader reader;
    reader.feed(bytes);
    std::string text;
    for (int number = 1;; ++number) {
        const auto next = reader.next();
        if (!next) return text;
        for (const auto& each : book.meet(from, *next)) {
            text += std::to_string(number) + "@" + std::to_string(each.at) + " ";
        }
    }
}

const auto ack = method(60, 80, 1, "tag and bit");

}  // namespace

TEST_CASE("a rule is read word by word") {
    const auto cut = good("client basic.publish 3 after cut all reset again");
    CHECK(cut.from == side::client);
    CHECK(cut.what == "basic.publish");
    CHECK(cut.number == 3);
    CHECK(!cut.at);
    CHECK(cut.again);
    CHECK(cut.act.what == deed::cut_reset);
    CHECK(cut.act.all);

    const auto stall = good("any frame 1 inside 4 stall 250 server");
    CHECK(!stall.from);
    CHECK(stall.at == 4);
    CHECK(stall.act.time == std::chrono::milliseconds{250});
    CHECK(stall.act.only == side::server);

    CHECK(good("server body 1 hold").at == 0);
    CHECK(good("server heartbeat 1 before split random").act.what == deed::split_random);
    CHECK(good("client byte 0 cut close").act.what == deed::cut_close);
    CHECK(good("client protocol 1 refuse").act.what == deed::refuse);
    CHECK(good("server basic.ack 1 kill 4711").act.process == 4711);
}

TEST_CASE("a text that is no rule is refused with what is wrong in it") {
    CHECK(refused("basic.publish 3 cut reset") == "A rule begins with client, server or any.");
    CHECK(refused("client basic.send 3 cut reset") == "\"basic.send\" is nothing that passes.");
    CHECK(refused("client basic.ack 0 cut reset") ==
          "Behind basic.ack comes the how-manieth, from 1.");
    CHECK(refused("client basic.ack -1 cut reset") ==
          "Behind basic.ack comes the how-manieth, from 1.");
    CHECK(refused("client frame 1 inside cut reset") ==
          "Behind `inside` comes how many bytes pass first.");
    CHECK(refused("client frame 1") == "\"\" is no action.");
    CHECK(refused("client frame 1 cut") ==
          "A cut is `cut reset` or `cut close`, with `all` between for all.");
    CHECK(refused("client frame 1 cut reset twice") == "\"twice\" is left over.");
    CHECK(refused("client frame 1 stall long") ==
          "A stall takes its milliseconds, as in `stall 500`.");
    // These would kill more than one process.
    for (const std::string process : {"0", "1", "-1", "-4711", ""}) {
        CHECK(refused("client frame 1 kill " + process) ==
              "A kill takes a process, as in `kill 4711`.");
    }
}

TEST_CASE("the n-th of a kind is counted by side and name") {
    rule_book book;
    book.add(good("client basic.ack 2 before cut reset"));
    CHECK(places(book, side::server, ack + ack + ack).empty());
    CHECK(places(book, side::client, ack + publish("x")).empty());
    CHECK(places(book, side::client, publish("x") + ack + ack) == "4@0 ");
    CHECK(places(book, side::client, ack + ack + ack).empty());
}

TEST_CASE("a rule that acts again begins to count anew") {
    rule_book book;
    book.add(good("any frame 2 after stall 1 again"));
    const auto end = std::to_string(ack.size());
    CHECK(places(book, side::client, ack + ack + ack + ack) == "2@" + end + " 4@" + end + " ");
}

TEST_CASE("bytes are counted from the beginning of the direction, wherever frames end") {
    const auto size = ack.size();
    for (std::size_t byte = 0; byte <= 2 * size; ++byte) {
        rule_book book;
        book.add(good("client byte " + std::to_string(byte) + " cut reset"));
        const std::string expected =
            byte <= size ? "1@" + std::to_string(byte) : "2@" + std::to_string(byte - size);
        CHECK(places(book, side::client, ack + ack) == expected + " ");
    }
}

TEST_CASE("several rules act in the order of their places, those of one place as they were added") {
    rule_book book;
    book.add(good("client basic.ack 1 after cut close"));
    book.add(good("client basic.ack 1 inside 9999 refuse"));
    book.add(good("client basic.ack 1 before split bytes"));
    frame_reader reader;
    reader.feed(ack);
    const auto due = book.meet(side::client, *reader.next());
    REQUIRE(due.size() == 3);
    CHECK(due[0].act.what == deed::split_bytes);
    CHECK(due[1].act.what == deed::cut_close);
    CHECK(due[2].act.what == deed::refuse);
    CHECK(due[2].at == ack.size());
}
