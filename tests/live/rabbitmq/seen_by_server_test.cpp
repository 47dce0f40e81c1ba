/// What the server itself says of a running service: how it is called, and what it may have in
/// hand.
#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace live;
using namespace std::chrono_literals;
using waybill::rabbitmq::queue;

namespace {

waybill::outcome always_ack(const call&, waybill::context&) { return waybill::ack(); }

bool lists_connection(const std::string& listed, const std::string& name) {
    return listed.find("{\"connection_name\",\"" + name + "\"}") != listed.npos;
}

using windows = std::map<std::string, std::vector<int>>;

/// How many each consumer of a queue may have in hand.
windows windows_on_server() {
    std::istringstream all{
        ctl("list_consumers -p " + login_of_server().vhost + " queue_name prefetch_count")};
    windows read;
    std::string name;
    std::getline(all, name);  // of the columns
    for (int count = 0; all >> name >> count;) read[name].push_back(count);
    for (auto& [queue, each] : read) std::ranges::sort(each);
    return read;
}

std::string in_words(const windows& all) {
    std::string text;
    for (const auto& [name, each] : all) {
        text += name + ':';
        for (const int count : each) text += ' ' + std::to_string(count);
        text += '\n';
    }
    return text;
}

}  // namespace

TEST_CASE("the server lists both connections of a service by name") {
    plain_client client;
    const std::string name = "seen.name";
    client.delete_queue(name);
    service unnamed;
    unnamed.subscribe(queue{name}, always_ack);
    unnamed.start();
    service named;
    named.config().connection_name("till 7");
    named.subscribe(queue{name}, always_ack);
    named.start();
    const auto listed = ctl("list_connections client_properties");
    for (const auto* each :
         {"live (reads)", "live (publishes)", "till 7 (reads)", "till 7 (publishes)"}) {
        CHECK_MESSAGE(lists_connection(listed, each), each << " in " << listed);
    }
    CHECK(named.stop());
    CHECK(unnamed.stop());
}

TEST_CASE("the window on the server is four times the lanes from 16 to 256, or what was said") {
    struct wish {
        std::string name;
        std::int64_t lanes;
        std::uint16_t said;  // 0: nothing
        int window;
    };
    const std::vector<wish> wishes{{"seen.lane", 1, 0, 16},
                                   {"seen.lanes-8", 8, 0, 32},
                                   {"seen.lanes-100", 100, 0, 256},
                                   {"seen.said", 8, 7, 7},
                                   {"seen.said-1000", 1, 1000, 1000}};
    plain_client client;
    service reads;
    for (const auto& each : wishes) {
        client.delete_queue(each.name);
        queue from{each.name};
        if (each.said != 0) from.prefetch(each.said);
        reads.subscribe(from, always_ack).concurrency(each.lanes);
    }
    reads.start();
    windows expected;
    for (const auto& each : wishes) expected[each.name] = {1};
    auto seen = windows_on_server();
    CHECK_MESSAGE(seen == expected, in_words(seen));
    // The first that nobody had widens it: beside the consumer of one there is that of the rest.
    for (const auto& each : wishes) {
        client.fill(each.name, 1);
        expected[each.name] = {1, each.window - 1};
    }
    CHECK_MESSAGE(eventually([&] { return (seen = windows_on_server()) == expected; }),
                  in_words(seen));
    CHECK(reads.stop());
}
