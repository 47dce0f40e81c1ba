// The table of docs/guarantees.md agrees with what an app says of itself: at its start, and by
// `describe`. scripts/check_links.py sees to it that every test that the page names is there.
#include "table.hpp"
#include <waybill/memory.hpp>
#include <waybill/rabbitmq.hpp>
#include <waybill/rabbitmq_testing.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

using namespace std::chrono_literals;

namespace {

using documents::cells_of;
using documents::code_in;
using waybill::memory::counting;
using waybill::memory::options;

/// The columns of the table, by their headings.
const std::map<std::string, options> models{
    {"memory", {}},
    {"memory, outlives", {.outlives_crash = true}},
    {"copies", {.counts = counting::none, .delays = false}},
    {"copies, outlives", {.counts = counting::none, .delays = false, .outlives_crash = true}},
    {"returns",
     {.counts = counting::returns, .delays = false, .outlives_crash = true, .delivery_limit = 20}},
};

waybill::app service(options how, bool has_cap) {
    waybill::app app{"shop", "1"};
    auto& charge = app.broker(waybill::memory::broker{how})
                       .subscribe(waybill::memory::queue("orders"), [](waybill::attempt) {});
    if (has_cap) charge.max_attempts(5).dead_letter("orders.dead");
    return app;
}

/// The pairs of the line that a start writes, by key.
std::map<std::string, std::string> said_at_start(waybill::app app) {
    std::map<std::string, std::string> pairs;
    app.log_to([&](std::string_view line) {
        if (line.find("started") == line.npos) return;
        std::istringstream words{std::string{line}};
        for (std::string word; words >> word;) {
            if (const auto at = word.find('='); at != word.npos) {
                pairs[word.substr(0, at)] = word.substr(at + 1);
            }
        }
    });
    const waybill::test_app tb{std::move(app)};
    return pairs;
}

std::map<std::string, std::string> said_at_start(options how, bool has_cap) {
    return said_at_start(service(how, has_cap));
}

/// The rows below the heading that begins so, the heading included.
std::vector<std::vector<std::string>> table_of_document(
    std::string_view heading = "| the start line says |") {
    std::ifstream page{"docs/guarantees.md"};
    std::vector<std::vector<std::string>> rows;
    bool is_inside = false;
    for (std::string line; std::getline(page, line);) {
        is_inside = line.starts_with(is_inside ? "|" : heading);
        if (is_inside && !line.starts_with("|---")) rows.push_back(cells_of(line));
    }
    return rows;
}

}  // namespace

TEST_CASE("the table of guarantees says what an app says at its start and by describe") {
    const auto rows = table_of_document();
    REQUIRE(rows.size() == 7);
    const auto& headings = rows.front();
    REQUIRE(headings.size() == 1 + models.size());
    for (std::size_t column = 1; column < headings.size(); ++column) {
        const auto name = code_in(headings[column]);
        REQUIRE(models.contains(name));
        for (std::size_t row = 1; row < rows.size(); ++row) {
            const bool has_cap = rows[row][0].find("without a cap") == std::string::npos;
            const auto key = code_in(rows[row][0]);
            const auto value = code_in(rows[row][column]);
            CAPTURE(name);
            CAPTURE(rows[row][0]);
            CHECK(said_at_start(models.at(name), has_cap)[key] == value);
            const auto json = service(models.at(name), has_cap).describe_json();
            const std::string quote = key == "stop_charges" ? "" : "\"";
            CHECK(json.find('"' + key + "\": " + quote + value + quote) != json.npos);
        }
    }
}

TEST_CASE("the table of guarantees on RabbitMQ says what an app says at its start") {
    namespace rabbitmq = waybill::rabbitmq;
    struct kind {
        rabbitmq::server_version version;
        bool is_quorum;
    };
    using rabbitmq::server_version;
    const std::map<std::string, kind> kinds{
        {"classic", {server_version::v4_0, false}},
        {"quorum before 4.3", {server_version::v4_0, true}},
        {"quorum from 4.3 on", {server_version::v4_3, true}},
    };
    const auto rows = table_of_document("| its start line says |");
    REQUIRE(rows.size() == 6);
    for (std::size_t column = 1; column < rows.front().size(); ++column) {
        const auto& cell = rows.front()[column];
        const auto name = cell.substr(1, cell.size() - 2);  // between its blanks
        CAPTURE(name);
        REQUIRE(kinds.contains(name));
        rabbitmq::server_options how;
        how.version = kinds.at(name).version;
        const rabbitmq::fake_server server{"amqp://guarantees.invalid", how};
        waybill::app app{"shop", "1"};
        rabbitmq::queue orders{"orders"};
        if (kinds.at(name).is_quorum) orders.quorum();
        app.broker(rabbitmq::broker{"amqp://guarantees.invalid"})
            .subscribe(orders, [](waybill::attempt) {})
            .max_attempts(5)
            .dead_letter("orders.dead");
        auto said = said_at_start(std::move(app));
        for (std::size_t row = 1; row < rows.size(); ++row) {
            CAPTURE(rows[row][0]);
            CHECK(said[code_in(rows[row][0])] == code_in(rows[row][column]));
        }
    }
}

TEST_CASE("the memory transport is bounded where that is declared") {
    using waybill::memory::when_full;
    // [bounds]
    const waybill::memory::server server{{
        .limit = {.messages = 10'000, .full = when_full::fails},  // of each address
        .keep = {.age = 24h},                                     // what nobody reads
    }};
    server.limit("payments.audit", {.bytes = 64 << 20});  // publishers wait for room
    // [/bounds]
    for (int at = 0; at < 10'000; ++at) REQUIRE(server.publish("orders", "x"));
    CHECK(!server.publish("orders", "x"));
    CHECK(server.publish("payments.audit", "x"));
}

TEST_CASE("a message may have a time to live") {
    waybill::app app{"shop", "1"};
    const waybill::memory::server server;
    const auto publisher = app.broker(waybill::memory::broker{server}).publisher();
    waybill::test_app tb{std::move(app)};
    // [time to live]
    auto quote = publisher.message("quotes", std::string{"EUR 1.09"});
    quote->set_time_to_live(5s);
    const auto sent = publisher.publish(*quote);
    // [/time to live]
    CHECK(sent);
    tb.advance(5s - 1ns);
    CHECK(server.queued("quotes") == 1);
    tb.advance(1ns);
    CHECK(server.queued("quotes") == 0);
    CHECK(server.expired() == 1);
}
