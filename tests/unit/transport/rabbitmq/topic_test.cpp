#include "transport/rabbitmq/topic.hpp"

#include <doctest/doctest.h>

using waybill::rabbitmq::topic_matches;

TEST_CASE("in a topic's pattern * is one word, # any number of them") {
    CHECK(topic_matches("a.b", "a.b"));
    CHECK_FALSE(topic_matches("a.b", "a.c"));
    CHECK(topic_matches("a.*", "a.b"));
    CHECK(topic_matches("*.b", "a.b"));
    CHECK_FALSE(topic_matches("*", "a.b"));
    CHECK_FALSE(topic_matches("a.*", "a.b.c"));
    CHECK_FALSE(topic_matches("a.*", "a"));
    CHECK(topic_matches("#", "a.b.c"));
    CHECK(topic_matches("a.#", "a"));
    CHECK(topic_matches("a.#", "a.b"));
    CHECK(topic_matches("a.#", "a.b.c"));
    CHECK_FALSE(topic_matches("a.#", "ab"));
    CHECK(topic_matches("#.text", "text"));
    CHECK(topic_matches("#.text", "x.y.text"));
    CHECK(topic_matches("a.#.c", "a.c"));
    CHECK(topic_matches("a.#.c", "a.b.b.c"));
    CHECK_FALSE(topic_matches("a.#.c", "a.b"));
    CHECK(topic_matches("#.b.#", "a.b.c.b"));
}

TEST_CASE("an empty key has no word, one that ends in a dot has an empty one") {
    CHECK(topic_matches("#", ""));
    CHECK(topic_matches("", ""));
    CHECK_FALSE(topic_matches("*", ""));
    CHECK(topic_matches("a.*", "a."));
    CHECK_FALSE(topic_matches("a", "a."));
}
