// What describe says: for people, and as JSON.
#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace std::chrono_literals;

namespace descriptions {

struct order {
    std::uint64_t id;
};
struct paid {
    static constexpr std::string_view address = "paid";
    std::uint64_t id;
};

waybill::reply<paid> charge(const order& o) { return paid{o.id}; }

waybill::app full_app() {
    waybill::app app{"shop \"north\"", "1.2"};
    app.workers(2);
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(waybill::memory::queue("orders.*"), charge)
        .name("charge")
        .describe("Charges the card.\nOnce.")
        .max_attempts(5)
        .dead_letter("dead")
        .retry_to("again")
        .retry_backoff(waybill::backoff::exponential(1s, 5min))
        .on_exception(waybill::to_dead_letter)
        .on_undecodable(waybill::drop())
        .concurrency(4);
    waybill::router cbor;
    cbor.codec(waybill::codecs::cbor());
    cbor.subscribe(waybill::memory::fan_out("news"), [](std::span<const std::byte>) {})
        .inline_handler();
    broker.mount(std::move(cbor));
    return app;
}

TEST_CASE("describe --json says what is declared and what it comes to") {
    const auto all = nlohmann::json::parse(full_app().describe_json());
    CHECK(all["name"] == "shop \"north\"");
    CHECK(all["version"] == "1.2");
    CHECK(all["workers"] == 2);
    REQUIRE(all["subscriptions"].size() == 2);
    const auto& first = all["subscriptions"][0];
    CHECK(first["name"] == "charge");
    CHECK(first["description"] == "Charges the card.\nOnce.");
    CHECK(first["broker"] == "memory");
    CHECK(first["source"] == "orders.*");
    CHECK(first["fan_out"] == false);
    CHECK(first["message"].get<std::string>().find("order") != std::string::npos);
    CHECK(first["codec"] == "json");
    CHECK(first["max_attempts"] == 5);
    CHECK(first["dead_letter"] == "dead");
    CHECK(first["retry_to"] == "again");
    CHECK(first["backoff"] == "1s doubling to 5m");
    CHECK(first["on_exception"] == "dead_letter");
    CHECK(first["on_undecodable"] == "drop");
    CHECK(first["concurrency"] == 4);
    CHECK(first["inline"] == false);
    REQUIRE(first["publishes"].size() == 1);
    CHECK(first["publishes"][0]["address"] == "paid");
    CHECK(first["counted_by"] == "broker+header");
    CHECK(first["delays"] == "broker");
    CHECK(first["kill_loses"] == "everything");
    CHECK(first["crash_loop"] == "bounded");
    CHECK(first["stop_charges"] == false);
    const auto& second = all["subscriptions"][1];
    CHECK(second["name"] == "news");
    CHECK(second["fan_out"] == true);
    CHECK(second["message"] == "raw");
    CHECK(second["codec"] == "cbor");
    CHECK(second["inline"] == true);
    CHECK_FALSE(second.contains("max_attempts"));
    CHECK_FALSE(second.contains("dead_letter"));
    CHECK(second["on_exception"] == "retry");
    CHECK(second["on_undecodable"] == "drop");
    CHECK(second["publishes"].empty());
}

TEST_CASE("describe --json of an app without subscriptions has an empty list and no workers") {
    const auto all = nlohmann::json::parse(waybill::app{"shop", "1"}.describe_json());
    CHECK(all["subscriptions"].empty());
    CHECK_FALSE(all.contains("workers"));
}

TEST_CASE("describe tells people the same") {
    const auto text = full_app().describe();
    for (const auto* part :
         {"shop \"north\" 1.2: 2 subscriptions", "2 shared workers: 2 blocked handlers hold up",
          "\n  charge\n", "orders.* on memory", "5 at most, then dead", "1s doubling to 5m", "paid",
          "4 lanes on the shared workers", "news (fan-out) on memory", "raw payload", "no cap",
          "on the thread that reads"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
}

TEST_CASE("describe names the dead letter of a policy, also without a cap") {
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"), [](const order&) {})
        .dead_letter("orders.dead");
    const auto text = app.describe();
    CAPTURE(text);
    CHECK(text.find("undecodable    dead letter orders.dead\n") != std::string::npos);
    CHECK(text.find("on exception   retry\n") != std::string::npos);
    CHECK(text.find("attempts       no cap\n") != std::string::npos);
}

TEST_CASE("describe says what a stop costs where the broker counts every return") {
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{{.counts = waybill::memory::counting::returns}})
        .subscribe(waybill::memory::queue("orders"), [](const order&) {});
    CHECK(app.describe().find("stop charges   a return with the server, not an attempt\n") !=
          std::string::npos);
}

TEST_CASE("describe works on wiring that is wrong, so that one can look at it") {
    waybill::app app{"shop", "1"};
    app.workers(0);
    app.broker(waybill::memory::broker{})
        .subscribe({"rabbitmq", "", false},
                   [](const order&) -> waybill::reply<order> { return order{1}; })
        .max_attempts(0)
        .concurrency(0);
    CHECK_FALSE(app.describe().empty());
    CHECK(nlohmann::json::parse(app.describe_json())["subscriptions"].size() == 1);
}

}  // namespace descriptions
