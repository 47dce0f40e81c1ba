// Routers: built away from the app, nested, each with a codec of its own.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace routers {

using waybill::memory::queue;

struct order {
    std::uint64_t id;
};
struct paid {
    std::uint64_t id;
};

waybill::reply<paid> pay(const order& o) { return paid{o.id}; }

std::vector<std::byte> bytes_of(const waybill::codec& format, std::uint64_t id) {
    return waybill::encode(format, order{id}).value();
}

/// The request is in this codec and so is the reply, or the message could not be read.
void speaks(waybill::test_app& tb, const std::string& name, const waybill::codec& format) {
    CAPTURE(name);
    tb.publish_raw(name, bytes_of(format, 7));
    REQUIRE(tb.outcomes(name) == std::vector{waybill::ack()});
    REQUIRE(tb.published(name + ".paid") == 1);
    CHECK(tb.published(name + ".paid")[0].as<paid>(format).id == 7);
}

TEST_CASE("a codec holds for what is below it, unless a router or a subscription names another") {
    waybill::router inner;
    inner.subscribe(queue("inherits"), pay).reply_to("inherits.paid");
    inner.subscribe(queue("own"), pay).reply_to("own.paid").codec(waybill::codecs::json());

    waybill::router json;
    json.codec(waybill::codecs::json());
    json.subscribe(queue("other"), pay).reply_to("other.paid");

    waybill::router outer;
    outer.codec(waybill::codecs::cbor());
    outer.subscribe(queue("outer"), pay).reply_to("outer.paid");
    outer.mount(std::move(inner)).mount(std::move(json));

    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(queue("plain"), pay).reply_to("plain.paid");
    broker.mount(std::move(outer));
    waybill::test_app tb{std::move(app)};
    speaks(tb, "plain", waybill::codecs::json());
    speaks(tb, "outer", waybill::codecs::cbor());
    speaks(tb, "inherits", waybill::codecs::cbor());
    speaks(tb, "own", waybill::codecs::json());
    speaks(tb, "other", waybill::codecs::json());
}

TEST_CASE("the app's codec holds for a router that names none") {
    waybill::router group;
    group.subscribe(queue("orders"), pay).reply_to("orders.paid");
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{}).mount(std::move(group));
    app.codec(waybill::codecs::cbor());
    waybill::test_app tb{std::move(app)};
    speaks(tb, "orders", waybill::codecs::cbor());
}

TEST_CASE("what subscribe returned still declares after its router was moved and mounted") {
    waybill::router group;
    auto& declared = group.subscribe(queue("orders"), [](const order&) { return waybill::retry(); })
                         .name("charge");
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{}).mount(std::move(group));
    declared.max_attempts(2).dead_letter("dead");
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", order{1});
    CHECK(tb.calls("charge") == 2);
    CHECK(tb.published("dead") == 1);
}

}  // namespace routers
