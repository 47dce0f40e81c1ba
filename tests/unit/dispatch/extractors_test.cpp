// What a handler may take as parameters, and what it finds in them.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace extractors {

struct order {
    std::uint64_t id;
    std::string customer;
};

/// The customer's tier, from a header; absent is fine.
struct tier {
    std::string name;
};
/// Who sent the message; without it nothing can be done.
struct sender {
    std::string name;
};
/// Never can be made.
struct cursed {};

/// A property that a transport would offer under this key.
struct address_length {
    using type = std::size_t;
    static type get(const waybill::delivery& from) { return from.address().size(); }
};

}  // namespace extractors

template <>
struct waybill::extractor<extractors::tier> {
    static extractors::tier extract(context& about) {
        return {std::string{about.message().headers().text("tier").value_or("basic")}};
    }
};

template <>
struct waybill::extractor<extractors::sender> {
    static std::expected<extractors::sender, error> extract(context& about) {
        const auto name = about.message().headers().text("sender");
        if (!name) return std::unexpected(error{errc::argument, "sender", "there is none", ""});
        return extractors::sender{std::string{*name}};
    }
};

template <>
struct waybill::extractor<extractors::cursed> {
    static extractors::cursed extract(context&) { throw std::runtime_error{"no such thing"}; }
};

namespace extractors {

waybill::app with(auto handler, auto... more) {
    waybill::app app{"shop", "1"};
    auto& wired = app.broker(waybill::memory::broker{})
                      .subscribe(waybill::memory::queue("orders"), std::move(handler));
    (more(app, wired), ...);
    return app;
}

TEST_CASE("const T& is the decoded payload") {
    std::vector<std::string> seen;
    waybill::test_app tb{with([&](const order& o) { seen.push_back(o.customer); })};
    tb.publish("orders", order{1, "ada"});
    tb.publish("orders", order{2, "bob"});
    CHECK(seen == std::vector<std::string>{"ada", "bob"});
}

TEST_CASE("T by value is a copy of the decoded payload that the handler may change") {
    std::vector<order> kept;
    waybill::test_app tb{with([&](order o) {
        kept.push_back(std::move(o));
        return kept.size() == 1 ? waybill::retry() : waybill::ack();
    })};
    tb.publish("orders", order{1, "a name that is too long for a small string"});
    REQUIRE(kept.size() == 2);
    CHECK(kept[0].customer == kept[1].customer);
}

TEST_CASE("a span of bytes is the payload as it arrived, decodable or not") {
    std::string seen;
    waybill::test_app tb{with([&](std::span<const std::byte> raw) {
        seen.assign(reinterpret_cast<const char*>(raw.data()), raw.size());
    })};
    tb.publish_raw("orders", std::string_view{"\x00\xFFnot JSON", 10});
    CHECK(seen == std::string_view{"\x00\xFFnot JSON", 10});
    tb.publish_raw("orders", "");
    CHECK(seen.empty());
}

TEST_CASE("the message and its bytes can be taken side by side") {
    std::size_t size = 0;
    waybill::test_app tb{with([&](const order& o, std::span<const std::byte> raw) {
        CHECK(o.id == 1);
        size = raw.size();
    })};
    tb.publish_raw("orders", R"({"id":1,"customer":"x"})");
    CHECK(size == 23);
}

TEST_CASE("context& says all that is known of the delivery") {
    int runs = 0;
    waybill::test_app tb{with(
        [&](waybill::context& about) {
            ++runs;
            CHECK(about.subscription() == "charge");
            CHECK(about.attempt() == static_cast<std::uint32_t>(runs));
            CHECK(about.max_attempts() == 3);
            CHECK(about.message().address() == "orders");
            CHECK(about.now() == (runs == 1 ? 0s : 30s));
            CHECK(about.wall() == 946'684'800s + about.now());
            return runs == 1 ? waybill::retry_after(30s) : waybill::ack();
        },
        [](auto&, auto& wired) { wired.name("charge").max_attempts(3); })};
    tb.publish_raw("orders", "x");
    tb.advance(30s);
    CHECK(runs == 2);
}

TEST_CASE("const context&, const delivery&, const headers& and attempt are views of one delivery") {
    int runs = 0;
    waybill::test_app tb{with([&](const waybill::context& about, const waybill::delivery& message,
                                  const waybill::headers& with, waybill::attempt number) {
        ++runs;
        CHECK(about.attempt() == number);
        CHECK(message.attempt() == number);
        CHECK(number.number == static_cast<std::uint32_t>(runs));
        CHECK(message.redelivered() == (runs > 1));
        CHECK(with.text("trace") == "abc");
        CHECK(message.headers() == with);
        CHECK(message.payload().size() == 4);
        return runs == 3 ? waybill::ack() : waybill::retry();
    })};
    tb.publish_raw("orders", "body", {{"trace", "abc"}});
    tb.advance(1min);
    CHECK(runs == 3);
}

template <class Key>
using field = waybill::field<Key>;

TEST_CASE("a transport's own property of a delivery is a parameter under its key") {
    std::size_t length = 0;
    waybill::test_app tb{with([&](const field<address_length>& f) { length = *f; })};
    tb.publish_raw("orders", "x");
    CHECK(length == 6);
}

struct ledger {
    std::uint64_t sum = 0;
};
struct rates {
    std::uint64_t factor = 1;
};

TEST_CASE("state<T> lends what on_startup made, each type its own, the same for every delivery") {
    std::uint64_t sum = 0;
    waybill::test_app tb{with(
        [&](waybill::state<ledger> l, const order& o, waybill::state<const rates> r) {
            l->sum += o.id * (*r).factor;
            sum = l->sum;
        },
        [](auto& app, auto&) {
            app.on_startup([] { return ledger{100}; });
            app.on_startup([] { return std::make_unique<rates>(rates{10}); });
        })};
    tb.publish("orders", order{1, ""});
    tb.publish("orders", order{2, ""});
    CHECK(sum == 130);
}

TEST_CASE("a type of the user's with an extractor is a parameter") {
    std::vector<std::string> seen;
    waybill::test_app tb{
        with([&](const tier& t, const sender& s) { seen.push_back(t.name + s.name); })};
    tb.publish_raw("orders", "x", {{"tier", "gold"}, {"sender", "ada"}});
    tb.publish_raw("orders", "x", {{"sender", "bob"}});
    CHECK(seen == std::vector<std::string>{"goldada", "basicbob"});
}

TEST_CASE("an extractor that fails is an exception of the handler, and the handler does not run") {
    int runs = 0;
    waybill::test_app tb{with([&](const tier&, const sender&) { ++runs; },
                              [](auto&, auto& wired) {
                                  wired.on_exception(waybill::to_dead_letter).dead_letter("dead");
                              })};
    tb.publish_raw("orders", "x");
    CHECK(runs == 0);
    REQUIRE(tb.published("dead") == 1);
    CHECK(tb.published("dead")[0].with.text("waybill-dead-reason") == "exception");
    CHECK(tb.published("dead")[0].with.text("waybill-dead-error") == "sender: there is none");
}

TEST_CASE("an extractor that throws is an exception of the handler") {
    int runs = 0;
    waybill::test_app tb{with([&](cursed) { ++runs; },
                              [](auto&, auto& wired) { wired.on_exception(waybill::drop()); })};
    tb.publish_raw("orders", "x");
    CHECK(runs == 0);
    CHECK(tb.calls("orders")[0].error == "no such thing");
    CHECK(tb.outcomes("orders") == std::vector{waybill::drop()});
}

TEST_CASE("what failed one delivery is forgotten at the next") {
    int runs = 0;
    waybill::test_app tb{with(
        [&](sender by_value) {
            CHECK_FALSE(by_value.name.empty());
            by_value.name.clear();
            ++runs;
        },
        [](auto&, auto& wired) { wired.on_exception(waybill::drop()); })};
    tb.publish_raw("orders", "x");
    tb.publish_raw("orders", "x", {{"sender", "ada"}});
    CHECK(runs == 1);
    CHECK(tb.outcomes("orders") == std::vector{waybill::drop(), waybill::ack()});
}

TEST_CASE("a payload that cannot be decoded never reaches the handler") {
    int runs = 0;
    waybill::test_app tb{with([&](const order&) { ++runs; })};
    tb.publish_raw("orders", "{\"id\":");
    CHECK(runs == 0);
    CHECK(tb.calls("orders").empty());
}

}  // namespace extractors
