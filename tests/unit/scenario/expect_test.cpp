#include "played.hpp"

#include <doctest/doctest.h>

#include <string>

using support::play_text;

namespace {

/// One message that is acked at its second delivery, with this as what is expected.
std::string with_expect(const std::string& expect) {
    return R"({"transport":"memory","subscriptions":[{"name":"s","source":{"name":"q"},
        "max_attempts":3,"dead_letter":"dead","handler":["retry_after 1s","ack"]}],
        "steps":[{"publish":{"to":"q","payload":"p","headers":[["a","1"],["b",2]]}},
                 {"advance":"1s"}],"expect":)" +
           expect + "}";
}

std::string difference(const std::string& expect) {
    return play_text(with_expect(expect)).difference;
}

}  // namespace

TEST_CASE("counts are compared where they are listed, and what never occurred counts 0") {
    CHECK(difference("{}").empty());
    CHECK(difference(R"({"deliveries":{"s":2,"nobody":0}})").empty());
    CHECK(difference(R"({"deliveries":{"s":3}})") == "deliveries s: expected 3, got 2");
    CHECK(difference(R"({"published":{"dead":1}})") == "published dead: expected 1, got 0");
    CHECK(difference(R"({"settled":{"s":{"requeued":1,"accepted":1,"stale":0}}})").empty());
    CHECK(difference(R"({"settled":{"s":{"rejected":1}}})") ==
          "settled s rejected: expected 1, got 0");
    CHECK(difference(R"({"settled":{"t":{"accepted":1}}})") ==
          "settled t accepted: expected 1, got 0");
    CHECK(difference(R"({"queued":{"q":1}})") == "queued q: expected 1, got 0");
    CHECK(difference(R"({"waiting":0})").empty());
    CHECK(difference(R"({"waiting":1})") == "waiting: expected 1, got 0");
}

TEST_CASE("a trace is found in its order, with other lines between") {
    CHECK(difference(R"({"trace":[{"event":"delivered","attempt":1},
                                  {"event":"delivered","attempt":2,"at_ms":1000}]})")
              .empty());
    CHECK(difference(R"({"trace":[{"event":"delivered","attempt":2},
                                  {"event":"delivered","attempt":1}]})")
              .starts_with("trace: element 1 did not come"));
    CHECK(difference(R"({"trace":[{"event":"delivered","attempt":1},
                                  {"event":"delivered","attempt":1}]})")
              .starts_with("trace: element 1 did not come"));
}

TEST_CASE("headers as an object are some of them, and a null value means absent") {
    const auto one = [](const std::string& headers) {
        return difference(R"({"trace":[{"event":"delivered","headers":)" + headers + "}]}");
    };
    CHECK(one(R"({"a":"1"})").empty());
    CHECK(one(R"({"b":2,"c":null})").empty());
    CHECK(one(R"({"a":null})") != "");
    CHECK(one(R"({"a":"2"})") != "");
    CHECK(one(R"({"b":"2"})") != "");
}

TEST_CASE("headers as a list are all of them, the runtime's own only where they are listed") {
    const auto of = [](const std::string& event) {
        return [event](const std::string& headers) {
            const auto text =
                R"({"transport":"memory","broker":{"counts":"none","delays":false},"subscriptions":
                   [{"name":"s","source":{"name":"q"},"max_attempts":2,"dead_letter":"dead",
                     "handler":["retry"]}],
                   "steps":[{"publish":{"to":"q","payload":"p","headers":[["a","1"],["b",2]]}}],
                   "expect":{"trace":[{"event":")" +
                event + R"(","why":"retry","headers":)" + headers + "}]}}";
            return play_text(text).difference;
        };
    };
    const auto copy = of("published");
    CHECK(copy(R"([["a","1"],["b",2]])").empty());
    CHECK(copy(R"([["b",2],["a","1"]])") != "");
    CHECK(copy(R"([["a","1"]])") != "");
    CHECK(copy(R"([["a","1"],["b",2],["waybill-retry-count","1"]])").empty());
    CHECK(copy(R"([["a","1"],["b",2],["waybill-retry-count","2"]])") != "");
}

TEST_CASE("a member that is expected to be null must be absent") {
    CHECK(difference(R"({"trace":[{"event":"delivered","payload_base64":null}]})").empty());
    CHECK(difference(R"({"trace":[{"event":"delivered","payload":null}]})") != "");
}
