// The command line that every service has.
#include <waybill/memory.hpp>
#include <waybill/run_main.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace command_line {

struct order {
    std::uint64_t id;
};
struct paid {
    std::uint64_t id;
};

void handle(const order&) {}
waybill::reply<paid> answer(const order& o) { return paid{o.id}; }

waybill::app sound_app() {
    waybill::app app{"shop", "1.2"};
    app.broker(waybill::memory::broker{}).subscribe(waybill::memory::queue("orders"), handle);
    return app;
}
waybill::app wrong_app() {
    auto app = sound_app();
    app.workers(0);
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("a"), handle)
        .max_attempts(0)
        .dead_letter("a");
    return app;
}

/// One subscription for each mistake, and one of each mistake that has to do with two.
waybill::app app_with_every_mistake() {
    using waybill::memory::queue;
    waybill::app app{"shop", "1.2"};
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(queue("cap"), handle).max_attempts(0).dead_letter("dead");
    broker.subscribe(queue("own.>"), handle).max_attempts(5).dead_letter("own.dead");
    broker.subscribe(queue("ring"), handle).max_attempts(5).dead_letter("back");
    broker.subscribe(queue("back"), handle).max_attempts(5).dead_letter("ring");
    broker.subscribe(queue("wide"), handle).max_attempts(5).dead_letter("dead.*");
    broker.subscribe(queue("one"), handle).name("twice");
    broker.subscribe(queue("two"), handle).name("twice");
    broker.subscribe(queue("unread"), handle).codec(waybill::codecs::text());
    broker.subscribe(queue("mute"), answer);
    broker.subscribe(queue("pattern"), answer).reply_to("paid.>");
    return app;
}

/// The subscription with its mistake, and the fix: a line each.
const std::vector<std::pair<std::string, std::string>> every_mistake = {
    {"  subscription cap: max_attempts(0) cannot be", "give 1 or more"},
    {R"(  subscription own.>: its own source "own.>" reads its dead letter "own.dead")",
     "send the dead letter to an address that the source does not read"},
    {"  subscription ring: its dead letter comes back to it: ring -> back -> ring", "let one of"},
    {R"(  subscription wide: dead_letter("dead.*") is nothing to publish to)", "name one address"},
    {"  subscription twice: 2 subscriptions have this name", "give each one a name(...)"},
    {"  subscription unread: the codec text cannot decode order", "name a codec(...) that can"},
    {"  subscription mute: its reply paid has no address", R"(declare reply_to("..."))"},
    {R"(  subscription pattern: reply_to("paid.>") is nothing to publish to)", "name one address"},
};

/// Takes the place of a stream's buffer for a while.
class capture {
public:
    explicit capture(std::ostream& stream)
        : stream_{stream}, before_{stream.rdbuf(text_.rdbuf())} {}
    ~capture() { stream_.rdbuf(before_); }
    capture(const capture&) = delete;
    capture& operator=(const capture&) = delete;
    [[nodiscard]] std::string text() const { return text_.str(); }

private:
    std::ostringstream text_;
    std::ostream& stream_;
    std::streambuf* before_;
};

struct result {
    int code;
    std::string out;
    std::string err;
};

result run(const std::function<waybill::app()>& make, std::vector<std::string> words) {
    words.insert(words.begin(), "shop");
    std::vector<char*> arguments;
    arguments.reserve(words.size());
    for (auto& each : words) arguments.push_back(each.data());
    const capture out{std::cout};
    const capture err{std::cerr};
    const int code = waybill::run_main(make, static_cast<int>(arguments.size()), arguments.data());
    return {code, out.text(), err.text()};
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

TEST_CASE("check says that sound wiring is sound") {
    const auto done = run(sound_app, {"check"});
    CHECK(done.code == 0);
    CHECK(done.out == "shop 1.2: the wiring is sound.\n");
    CHECK(done.err.empty());
}

TEST_CASE("check prints every problem with its place and its fix, a line each, and ends with 2") {
    const auto done = run(wrong_app, {"check"});
    CHECK(done.code == 2);
    CHECK(done.out.empty());
    CHECK(has(done.err, "shop 1.2: the wiring is wrong.\n"));
    CHECK(has(done.err, "app shop: workers(0)"));
    CHECK(has(done.err, "subscription a: max_attempts(0)"));
    CHECK(has(done.err, "subscription a: its own source \"a\" reads its dead letter"));
    CHECK(has(done.err, "give 1 or more"));
    CHECK(has(done.err, "\n3 problems.\n"));
}

TEST_CASE("run, named or not, refuses wrong wiring with all problems and ends with 2") {
    for (const auto& words : std::vector<std::vector<std::string>>{{"run", "--log-level", "off"},
                                                                   {"--log-level=off"}}) {
        const auto done = run(wrong_app, words);
        CHECK(done.code == 2);
        CHECK(has(done.err, "app shop: workers(0)"));
        CHECK(has(done.err, "subscription a: max_attempts(0)"));
        CHECK(has(done.err, "3 problems.\n"));
    }
}

TEST_CASE("every kind of wiring mistake is named at once with its fix, and ends with 2") {
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"check"}, {"run", "--log-level", "off"}}) {
        const auto done = run(app_with_every_mistake, words);
        CAPTURE(done.err);
        CHECK(done.code == 2);
        for (const auto& [mistake, fix] : every_mistake) {
            CAPTURE(mistake);
            const auto at = done.err.find(mistake);
            REQUIRE(at != std::string::npos);
            CHECK(has(done.err.substr(at, done.err.find('\n', at) - at), fix));
        }
        CHECK(has(done.err, std::to_string(every_mistake.size()) + " problems.\n"));
        CHECK(done.out.empty());
    }
}

TEST_CASE("run runs until it is asked to stop, and ends with 0") {
    const auto done = run(
        [] {
            auto app = sound_app();
            app.request_stop();
            return app;
        },
        {"run", "--log-level", "OFF"});
    CHECK(done.code == 0);
}

TEST_CASE("a service whose state cannot be made says why and ends with 1") {
    const auto done = run(
        [] {
            auto app = sound_app();
            app.on_startup([]() -> std::string { throw std::runtime_error{"no database"}; });
            return app;
        },
        {"run", "--log-level", "off"});
    CHECK(done.code == 1);
    CHECK(has(done.err, "on_startup"));
    CHECK(has(done.err, "no database"));
}

TEST_CASE("describe says what is declared, and describe --json is one JSON object") {
    const auto text = run(sound_app, {"describe"});
    CHECK(text.code == 0);
    CHECK(has(text.out, "shop 1.2: 1 subscription"));
    const auto json = run(sound_app, {"describe", "--json"});
    CHECK(json.code == 0);
    CHECK(nlohmann::json::parse(json.out)["subscriptions"].size() == 1);
}

TEST_CASE("an unknown verb or option is refused with a hint, and not as a wiring problem") {
    for (const auto* word : {"chekc", "--jsno", "describe --jsno"}) {
        const auto done = run(sound_app, {word});
        CHECK(done.code == 64);
        CHECK(has(done.err, word));
        CHECK(has(done.err, "--help"));
    }
    const auto loud = run(sound_app, {"run", "--log-level", "loud"});
    CHECK(loud.code == 64);
    CHECK(has(loud.err, "--log-level is debug, info, warning, error or off, not \"loud\"."));
}

TEST_CASE("the version is the service's") {
    const auto done = run(sound_app, {"--version"});
    CHECK(done.code == 0);
    CHECK(done.out == "shop 1.2\n");
}

TEST_CASE("help names the verbs and ends with 0") {
    const auto done = run(sound_app, {"--help"});
    CHECK(done.code == 0);
    for (const auto* verb : {"run", "check", "describe"}) CHECK(has(done.out, verb));
}

TEST_CASE("what make_app throws is said, and ends with 1") {
    const auto done =
        run([]() -> waybill::app { throw std::runtime_error{"SHOP_URL is not set"}; }, {"run"});
    CHECK(done.code == 1);
    CHECK(has(done.err, "SHOP_URL is not set"));
    CHECK(run([]() -> waybill::app { throw 1; }, {"check"}).code == 1);
}

}  // namespace command_line
