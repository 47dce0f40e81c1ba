#include "faults/proxy/frame.hpp"

#include "faults/proxy/tests/frames.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace faults;
using namespace faults::test;

namespace {

/// Everything that comes out when `bytes` go in, `step` at a time.
std::vector<piece> read_all(const std::string& bytes, std::size_t step) {
    frame_reader reader;
    std::vector<piece> out;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        reader.feed(std::string_view{bytes}.substr(at, step));
        while (auto next = reader.next()) out.push_back(*next);
    }
    while (auto rest = reader.rest()) out.push_back(*rest);
    return out;
}

std::string names(const std::vector<piece>& pieces) {
    std::string text;
    for (const auto& each : pieces) text += each.name() + " ";
    return text;
}

std::string together(const std::vector<piece>& pieces) {
    std::string bytes;
    for (const auto& each : pieces) bytes += each.bytes;
    return bytes;
}

}  // namespace

TEST_CASE("frames are told apart however their bytes arrive") {
    const auto bytes = protocol_header + method(10, 11, 0, "start") + method(60, 40, 3, "publish") +
                       frame(2, 3, "header") + frame(3, 3, std::string(300, 'x')) +
                       frame(3, 3, "") + frame(8, 0, "");
    for (const std::size_t step : {1U, 2U, 7U, 8U, 100U, 10'000U}) {
        const auto pieces = read_all(bytes, step);
        CHECK(names(pieces) ==
              "protocol connection.start-ok basic.publish header body body heartbeat ");
        CHECK(together(pieces) == bytes);
        CHECK(pieces[2].channel == 3);
        CHECK(pieces[2].class_id == 60);
        CHECK(pieces[2].method_id == 40);
        CHECK(pieces[2].begins == protocol_header.size() + pieces[1].bytes.size());
    }
}

TEST_CASE("a method that 0-9-1 does not know is called by its numbers") {
    const auto pieces = read_all(method(60, 999, 1, ""), 1);
    CHECK(names(pieces) == "60.999 ");
    CHECK(is_method_name("basic.ack"));
    CHECK(!is_method_name("basic.acknowledge"));
}

TEST_CASE("what is no frame passes as it is") {
    // TLS, and what would be a method of more than a gigabyte.
    for (const std::string other : {"\x16\x03\x01 hello, and 1 more", "\x01hello, and 1 more"}) {
        for (const std::size_t step : {1U, 5U, 100U}) {
            const auto pieces = read_all(other, step);
            CHECK(together(pieces) == other);
            for (const auto& each : pieces) CHECK(each.kind == piece_kind::raw);
        }
    }
}

TEST_CASE("a frame without its end makes all that follows raw") {
    auto bad = method(60, 80, 1, "ack");
    bad.back() = 'x';
    const auto bytes = method(60, 80, 1, "ack") + bad + method(60, 80, 1, "ack");
    for (const std::size_t step : {1U, 9U, 1000U}) {
        const auto pieces = read_all(bytes, step);
        CHECK(together(pieces) == bytes);
        CHECK(pieces.front().name() == "basic.ack");
        for (std::size_t each = 1; each < pieces.size(); ++each)
            CHECK(pieces[each].name() == "raw");
    }
}

TEST_CASE("the beginning of a frame comes out when its sender has ended") {
    const auto bytes = method(60, 80, 1, "ack") + method(60, 80, 1, "ack").substr(0, 9);
    const auto pieces = read_all(bytes, 1);
    CHECK(names(pieces) == "basic.ack raw ");
    CHECK(together(pieces) == bytes);
}

TEST_CASE("a method too short for its numbers has none") {
    const auto pieces = read_all(frame(1, 1, "\x3c"), 1);
    CHECK(names(pieces) == "0.0 ");
}
