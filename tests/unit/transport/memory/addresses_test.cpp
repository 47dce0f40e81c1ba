// Many addresses and many readers: each message costs what it costs among few.
#include "heap_peak.hpp"
#include "memory_client.hpp"
#include "transport/memory/backlog.hpp"
#include "transport/memory/pattern.hpp"
#include "transport/memory/patterns.hpp"
#include <waybill/memory.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace addresses_test {

using waybill::memory::fan_out;
using waybill::memory::queue;
using waybill::memory::server;
using waybill::test::client;
using waybill::test::publish_status;
using waybill::test::settle;
using waybill::test::settle_kind;
using waybill::test::take;
using waybill::test::texts_of;

constexpr int many = 100'000;

std::string device(int number) { return "devices." + std::to_string(number) + ".state"; }

// A look through all queues for each fresh address, as it was once, takes minutes here.
TEST_CASE("100,000 addresses with a reader each, patterns beside them, all kept apart") {
    const server at;
    client app{at};
    auto& one = app.reads(queue("devices.77.*"));
    std::vector<waybill::detail::consumer*> readers;
    for (int each = 0; each < many; ++each) readers.push_back(&app.reads(queue(device(each))));
    for (int each = 0; each < 1000; ++each) {
        app.reads(queue("others." + std::to_string(each) + ".>"));
    }
    for (int each = 0; each < many; ++each) {
        REQUIRE(app.publish(device(each), std::to_string(each)) == publish_status::confirmed);
    }
    for (int each = 0; each < many; ++each) {
        auto& reader = *readers[static_cast<std::size_t>(each)];
        const auto hand = take(reader, 2);
        REQUIRE(texts_of(hand) == std::to_string(each));
        settle(reader, hand, settle_kind::accept);
    }
    CHECK(texts_of(take(one)) == "77");
    app.readers.clear();
}

TEST_CASE("100,000 addresses that nobody reads, kept for a pattern that comes; what each takes") {
    const server at;
    client app{at};
    const support::heap_watch watch;
    for (int each = 0; each < many; ++each) {
        REQUIRE(app.publish(device(each), "0123456789012345678901234567") ==
                publish_status::confirmed);
    }
    const auto each_takes = watch.peak() / many;
    MESSAGE("an address with its queue and a message of 28 bytes takes " << each_takes << " bytes");
    CHECK(each_takes < 1024);
    auto& all = app.reads(queue("devices.>"));
    CHECK(at.queued("devices.>") == many);
    CHECK(take(all).size() == 100);
}

/// Every pattern of up to three words of a small alphabet, and every name.
TEST_CASE("the index of patterns finds what matching one by one finds") {
    const std::vector<std::string> words{"a", "b", "*", ">"};
    std::vector<std::string> all{words};
    for (std::size_t from = 0, length = 2; length <= 3; ++length) {
        const auto to = all.size();
        for (; from < to; ++from) {
            for (const auto& word : words) all.push_back(all[from] + '.' + word);
        }
    }
    std::vector<waybill::memory::backlog> queues(all.size());
    waybill::memory::patterns index;
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (waybill::memory::source_problem(all[at]).empty()) index.add(all[at], queues[at]);
    }
    for (const auto& name : all) {
        if (!waybill::memory::address_problem(name).empty()) continue;
        CAPTURE(name);
        std::vector<waybill::memory::backlog*> found;
        index.find(name, found);
        std::vector<waybill::memory::backlog*> wanted;
        for (std::size_t at = 0; at < all.size(); ++at) {
            const bool is_one = waybill::memory::source_problem(all[at]).empty();
            if (is_one && waybill::memory::matches(all[at], name)) wanted.push_back(&queues[at]);
        }
        std::ranges::sort(found);
        CHECK(found == wanted);
    }
}

TEST_CASE("brokers can be told apart by their names") {
    using waybill::memory::broker;
    CHECK(broker{}.describe() == "memory");
    CHECK(broker{waybill::memory::options{}, "billing"}.describe() == "billing");
    CHECK(broker{server{{}, "audit"}}.describe() == "audit");
}

}  // namespace addresses_test
