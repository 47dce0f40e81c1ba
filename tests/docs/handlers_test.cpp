// The parts of docs/handlers.md: `// [name]` begins one and `// [/name]` ends it.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <mutex>
#include <regex>
#include <sstream>

using namespace std::chrono_literals;
using waybill::memory::queue;

// [messages]
namespace cafe {

struct order {
    std::uint64_t id = 0;
    std::string drink;
};

struct bill {
    static constexpr std::string_view address = "cafe.bills";
    std::uint64_t order = 0;
    std::uint32_t cents = 0;
};

struct ticket {
    std::uint64_t order = 0;
};

}  // namespace cafe
// [/messages]

namespace forms {

using cafe::order;

// [forms]
waybill::outcome brew(const order& asked) {  // a function
    return asked.drink.empty() ? waybill::drop() : waybill::ack();
}

struct barista {  // an object with exactly one handle
    waybill::outcome handle(const order&) {
        return ++made > 100 ? waybill::retry() : waybill::ack();
    }
    int made = 0;
};

struct till {  // a static member function
    static void ring_up(const order&) {}
};

template <class T>
void audit(const T&) {}  // a function template: name its type
// [/forms]

void many(const order&) {}
void many(const cafe::bill&) {}

}  // namespace forms

TEST_CASE("the forms of a handler") {
    using namespace forms;
    waybill::app app{"cafe", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    int seen = 0;
    // [subscribing]
    broker.subscribe(queue("orders.brew"), brew);
    broker.subscribe(queue("orders.make"), barista{});
    broker.subscribe(queue("orders.till"), till::ring_up);
    broker.subscribe(queue("orders.audit"), audit<order>);
    broker.subscribe(queue("orders.count"), [&seen](const order&) { ++seen; });
    broker.subscribe(queue("orders.many"), static_cast<void (*)(const order&)>(many));
    barista kept;
    broker.subscribe(queue("orders.kept"), std::ref(kept));  // yours, and outlives the app
    // [/subscribing]
    {
        waybill::test_app tb{std::move(app)};
        for (const auto* at : {"orders.brew", "orders.make", "orders.till", "orders.audit",
                               "orders.count", "orders.many", "orders.kept"}) {
            tb.publish(at, order{7, "espresso"});
            CHECK(tb.outcomes(at) == std::vector{waybill::ack()});
        }
    }
    CHECK(seen == 1);
    CHECK(kept.made == 1);
}

namespace parameters {

struct prices {
    std::uint32_t of(const std::string& drink) const { return drink == "espresso" ? 220 : 350; }
};

// [parameters]
waybill::reply<cafe::bill> serve(const cafe::order& asked, waybill::attempt number,
                                 waybill::state<prices> list) {
    if (asked.drink.empty()) return waybill::drop();
    if (number > 3) return waybill::retry_after(1min);
    return cafe::bill{asked.id, list->of(asked.drink)};
}
// [/parameters]

}  // namespace parameters

TEST_CASE("a handler takes what it needs and answers with a value") {
    using namespace parameters;
    waybill::app app{"cafe", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    // [state]
    app.on_startup([] { return prices{}; });  // a T, a unique_ptr<T> or a shared_ptr<T>
    broker.subscribe(queue("orders"), serve).max_attempts(5).dead_letter("orders.dead");
    // [/state]
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", cafe::order{7, "espresso"});
    tb.publish("orders", cafe::order{8, ""});
    REQUIRE(tb.published("cafe.bills") == 1);
    CHECK(tb.published("cafe.bills")[0].as<cafe::bill>(waybill::codecs::json()).cents == 220);
    CHECK(tb.outcomes(serve) == std::vector{waybill::ack(), waybill::drop()});
}

namespace publishing {

// [out]
void take_order(const cafe::order& asked, waybill::out<cafe::ticket, cafe::bill> out,
                waybill::context& about) {
    out.publish(cafe::ticket{asked.id});     // where publish_to says
    out.publish(cafe::bill{asked.id, 220});  // where its type says
    if (const auto to = about.message().headers().text("reply-to")) {
        about.publish(*to, cafe::bill{asked.id, 220});  // where only the handler knows
    }
}
// [/out]

}  // namespace publishing

TEST_CASE("what a handler publishes is sent before its delivery is acked") {
    using namespace publishing;
    waybill::app app{"cafe", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    // [publish_to]
    broker.subscribe(queue("orders"), take_order).publish_to<cafe::ticket>("cafe.kitchen");
    // [/publish_to]
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", cafe::order{7, "espresso"}, {{"reply-to", "table.4"}});
    CHECK(tb.published("cafe.kitchen") == 1);
    CHECK(tb.published("cafe.bills") == 1);
    CHECK(tb.published("table.4") == 1);
}

// [extractor]
struct customer {
    std::string name;
};

template <>
struct waybill::extractor<customer> {
    static std::expected<customer, waybill::error> extract(waybill::context& about) {
        const auto name = about.message().headers().text("customer");
        if (name) return customer{std::string{*name}};
        return std::unexpected(
            waybill::error{waybill::errc::failed, "header customer", "is missing", ""});
    }
};

std::string last_guest;
void greet(const cafe::order&, const customer& who) { last_guest = who.name; }
// [/extractor]

TEST_CASE("a type of one's own is a parameter") {
    waybill::app app{"cafe", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(queue("orders"), greet)
        .on_exception(waybill::drop());
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", cafe::order{7, "tea"}, {{"customer", "Ada"}});
    CHECK(last_guest == "Ada");
    tb.publish("orders", cafe::order{8, "tea"});
    CHECK(tb.calls("orders")[1].error == "header customer: is missing");
    CHECK(tb.outcomes("orders") == std::vector{waybill::ack(), waybill::drop()});
}

TEST_CASE("exceptions and payloads that cannot be read have their own policies") {
    waybill::app app{"cafe", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    const auto brew = [](const cafe::order& asked) {
        if (asked.drink == "soup") throw std::runtime_error{"not on the menu"};
    };
    // [policies]
    broker.subscribe(queue("orders"), brew)
        .max_attempts(5)
        .dead_letter("orders.dead")
        .on_exception(waybill::to_dead_letter)  // else retry
        .on_undecodable(waybill::drop());       // else the dead letter, else drop
    // [/policies]
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", cafe::order{7, "soup"});
    tb.publish_raw("orders", "not JSON");
    CHECK(tb.calls("orders") == 1);
    REQUIRE(tb.published("orders.dead") == 1);
    CHECK(tb.published("orders.dead")[0].with.text("waybill-dead-reason") == "exception");
    CHECK(tb.published("orders.dead")[0].with.text("waybill-dead-error") == "not on the menu");
}

namespace elsewhere {

/// Stands for a database driver with a thread and callbacks of its own.
struct driver {
    void store(std::uint64_t, std::function<void(bool)> done) {
        waiting.push_back(std::move(done));
    }
    std::vector<std::function<void(bool)>> waiting;
};

// [settlement]
void store(const cafe::order& asked, waybill::state<driver> database, waybill::settlement settle) {
    auto kept = std::make_shared<waybill::settlement>(std::move(settle));
    database->store(asked.id, [kept](bool stored) {  // called later, on any thread
        stored ? std::move(*kept).ack() : std::move(*kept).retry_after(5s);
    });
}
// [/settlement]

}  // namespace elsewhere

TEST_CASE("a handler may finish elsewhere") {
    elsewhere::driver database;
    waybill::app app{"cafe", "1"};
    app.on_startup([] { return elsewhere::driver{}; });
    app.broker(waybill::memory::broker{}).subscribe(queue("orders"), elsewhere::store);
    waybill::test_app tb{std::move(app), waybill::with_state(std::ref(database))};
    tb.publish("orders", cafe::order{7, "tea"});
    tb.publish("orders", cafe::order{8, "tea"});
    REQUIRE(database.waiting.size() == 1);  // the lane's slot is taken
    database.waiting[0](false);
    tb.rest();
    REQUIRE(database.waiting.size() == 2);
    database.waiting[1](true);
    tb.rest();
    CHECK(tb.outcomes("orders") == std::vector{waybill::retry_after(5s), waybill::ack()});
    tb.advance(5s);
    REQUIRE(database.waiting.size() == 3);
    database.waiting[2](true);
    tb.rest();
    CHECK(tb.outcomes("orders").size() == 3);
}

TEST_CASE("a destroyed settlement gives its delivery back") {
    std::vector<waybill::settlement> kept;
    waybill::app app{"cafe", "1"};
    app.broker(waybill::memory::broker{}).subscribe(queue("orders"), [&](waybill::settlement s) {
        kept.push_back(std::move(s));
    });
    waybill::test_app tb{std::move(app)};
    tb.publish("orders", cafe::order{7, "tea"});
    kept.clear();
    tb.rest();
    REQUIRE(tb.calls("orders") == 2);
    CHECK(tb.calls("orders")[1].attempt == 1);
}

namespace sharing {

// [shared state]
class stock {
public:
    bool take(const std::string& drink) {
        const std::lock_guard lock{mutex_};  // lanes run at the same time
        auto& left = left_[drink];
        if (left == 0) return false;
        --left;
        return true;
    }

private:
    std::mutex mutex_;
    std::map<std::string, int> left_{{"espresso", 10}};
};

waybill::outcome pour(const cafe::order& asked, waybill::state<stock> shelf) {
    return shelf->take(asked.drink) ? waybill::ack() : waybill::retry_after(10min);
}
// [/shared state]

}  // namespace sharing

TEST_CASE("lanes are declared") {
    using namespace sharing;
    waybill::app app{"cafe", "1"};
    app.on_startup([] { return std::make_unique<stock>(); });
    auto& broker = app.broker(waybill::memory::broker{});
    // [lanes]
    broker.subscribe(queue("orders"), pour).concurrency(8);                      // eight at a time
    broker.subscribe(queue("pings"), [](waybill::attempt) {}).inline_handler();  // never blocks
    app.workers(4);  // four threads for all lanes, instead of one for each
    // [/lanes]
    CHECK(app.check().empty());
    CHECK(app.describe().find("8 lanes on the shared workers") != std::string::npos);
    CHECK(app.describe().find("on the thread that reads") != std::string::npos);
}

namespace {

/// The sentences that tests/build expects of a compiler, on one line.
std::string expected_by(const std::string& path) {
    std::ifstream file{path};
    std::string all;
    for (std::string line; std::getline(file, line) && line.starts_with("// ");) {
        const auto text = line.find(": ");
        if (line.starts_with("// expect") || line.starts_with("// clang"))
            all += line.substr(text + 2) + ' ';
    }
    return all;
}

}  // namespace

TEST_CASE("the compile errors that the document shows are those that the compilers print") {
    std::ifstream page{"docs/handlers.md"};
    const std::regex row{R"(\| `([^`]+)` \| \[[^\]]+\]\(\.\./(tests/build/\w+\.cpp)\) \|.*)"};
    int rows = 0;
    for (std::string line; std::getline(page, line);) {
        std::smatch cells;
        if (!std::regex_match(line, cells, row)) continue;
        ++rows;
        CAPTURE(line);
        CHECK(expected_by(cells[2]).find(cells[1]) != std::string::npos);
    }
    CHECK(rows >= 20);
}
