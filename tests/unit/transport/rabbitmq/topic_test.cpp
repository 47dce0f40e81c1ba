#include "transport/rabbitmq/topic.hpp"

#include "topic_patterns.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("B190: in a topic's pattern * is one word, # any number of them") {
    for (const auto& each : support::topic_patterns) {
        CAPTURE(std::string{each.pattern});
        CAPTURE(std::string{each.key});
        CHECK(waybill::rabbitmq::topic_matches(each.pattern, each.key) == each.matches);
    }
}
