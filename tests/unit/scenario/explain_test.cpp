#include "scenario/explain.hpp"

#include "choices.hpp"
#include "played.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace waybill::scenario;

namespace {

explanation explained(const std::string& text) {
    // The declarations that it points to.
    static scenario kept;
    auto told = read(text);
    REQUIRE(told);
    kept = std::move(*told);
    return explain(kept);
}

/// A file with one subscription `s` of `in`, which these members declare.
std::string file_of(const std::string& broker, const std::string& members,
                    const std::string& steps = "") {
    return R"({"transport": "memory", "broker": {)" + broker +
           R"(}, "subscriptions": [{"name": "s", "source": {"name": "in"})" + members +
           R"(}], "steps": [)" + steps + "]}";
}

meaning meaning_of(const std::string& members, const std::string& broker = "") {
    auto all = explained(file_of(broker, members));
    REQUIRE(all.problems.empty());
    return all.subscriptions.at(0);
}

template <std::size_t Count>
std::string one_of(support::choices& from, const std::array<const char*, Count>& words) {
    return words[from.below(Count)];
}

std::string some_answers(support::choices& from) {
    constexpr std::array<const char*, 12> words{R"("retry")",
                                                R"("retry")",
                                                R"("retry")",
                                                R"("retry_after 30s")",
                                                R"("retry_after 700ms")",
                                                R"("throw")",
                                                R"("crash")",
                                                R"("drop")",
                                                R"("ack")",
                                                R"("retry")",
                                                R"("throw")",
                                                R"({"takes": "3s", "then": "retry"})"};
    std::string list;
    for (auto left = 1 + from.below(4); left != 0; --left) {
        list += (list.empty() ? "" : ", ") + one_of(from, words);
    }
    return '[' + list + ']';
}

std::string some_broker(support::choices& from) {
    auto text =
        R"("counts": )" + one_of(from, std::array{R"("failures")", R"("returns")", R"("none")"});
    text += one_of(from, std::array{"", R"(, "delays": false)"});
    text += one_of(from, std::array{"", R"(, "outlives_crash": true)"});
    return text + one_of(from, std::array{"", "", R"(, "delivery_limit": 20)",
                                          R"(, "delivery_limit": 4)", R"(, "delivery_limit": 1)"});
}

std::string some_declarations(support::choices& from) {
    auto text = one_of(from, std::array{"", R"(, "max_attempts": 1)", R"(, "max_attempts": 2)",
                                        R"(, "max_attempts": 5)", R"(, "max_attempts": 9)"});
    text += one_of(from, std::array{"", R"(, "backoff": {"fixed": "10s"})",
                                    R"(, "backoff": {"exponential": ["1s", "5s"]})",
                                    R"(, "backoff": {"list": ["1s", "1s", "20s"]})"});
    text += one_of(from, std::array{"", R"(, "dead_letter": "dead")",
                                    R"(, "dead_letter": "dead", "on_undecodable": "dead_letter")"});
    const bool has_dead_letter = text.find("dead_letter") != text.npos;
    text += one_of(
        from, std::array{"", R"(, "on_exception": "drop")", R"(, "on_exception": "retry_after 2s")",
                         has_dead_letter ? R"(, "on_exception": "dead_letter")" : ""});
    if (text.find("on_undecodable") == text.npos) {
        text += one_of(
            from, std::array{"", R"(, "on_undecodable": "ack")", R"(, "on_undecodable": "retry")"});
    }
    text += one_of(from, std::array{"", "", "", R"(, "retry_to": "in")", R"(, "retry_to": "out")"});
    text += one_of(from,
                   std::array{"", "", R"(, "max_redeliveries": 3)", R"(, "max_redeliveries": 25)"});
    text += one_of(from, std::array{"", R"(, "drop_when_spent": true)"});
    text += one_of(from, std::array{"", R"(, "on_drop": "broker")"});
    return text;
}

/// What a run says of its one message.
struct seen {
    std::uint64_t deliveries = 0;
    nanoseconds waiting{0};
    nanoseconds handling{0};
    std::string last_answer;  ///< of the last delivery; empty: the process died
    std::string dead_reason;
    bool is_rejected = false;
    bool is_moved = false;
};

nanoseconds time_of(const json::value& line) {
    return std::chrono::milliseconds{line.find("at_ms")->integer().value()};
}

std::string reason_in(const json::value& line) {
    for (const auto& pair : *line.find("headers")->items()) {
        const auto& both = *pair.items();
        if (*both[0].text() == "waybill-dead-reason") return *both[1].text();
    }
    return {};
}

seen look_at(const support::played& run) {
    seen made;
    std::optional<nanoseconds> answered_at;
    nanoseconds delivered_at{0};
    for (const auto& line : run.lines) {
        const auto& event = *line.find("event")->text();
        if ((event == "delivered" || event == "exceeded") && answered_at) {
            made.waiting += time_of(line) - *std::exchange(answered_at, std::nullopt);
        }
        if (event == "delivered") {
            ++made.deliveries;
            made.last_answer.clear();
            delivered_at = time_of(line);
        } else if (event == "outcome") {
            made.last_answer = *line.find("outcome")->text();
            made.handling += time_of(line) - delivered_at;
            answered_at = time_of(line);
        } else if (event == "published" && *line.find("why")->text() == "dead_letter") {
            made.dead_reason = reason_in(line);
        } else if (event == "published" && *line.find("to")->text() == "out") {
            made.is_moved = true;
        } else if (event == "settled" && *line.find("as")->text() == "rejected") {
            made.is_rejected = true;
        }
    }
    return made;
}

std::uint64_t left_in(const summary& totals) {
    std::uint64_t sum = totals.waiting;
    if (const auto in = totals.queued.find("in"); in != totals.queued.end()) sum += in->second;
    for (const auto& [name, count] : totals.unsettled) sum += count;
    return sum;
}

void compare(const course& said, const support::played& run) {
    const auto came = look_at(run);
    const auto left = left_in(run.came.totals);
    if (said.end == ending::never) {
        CHECK(came.deliveries >= 20);
        CHECK(left == 1);
        CHECK(came.dead_reason.empty());
        return;
    }
    CHECK(came.deliveries == said.deliveries);
    CHECK(came.is_moved == (said.end == ending::moved));
    if (said.end == ending::moved) return;
    CHECK(left == 0);
    CHECK(came.waiting == said.waiting);
    CHECK(came.handling == said.handling);
    const bool is_dead = said.end == ending::dead_letter;
    CHECK(came.dead_reason == (is_dead ? waybill::to_string(said.reason.value()) : ""));
    CHECK(came.is_rejected == (said.end == ending::rejected));
    CHECK((came.last_answer == "ack") == (said.end == ending::acked));
    if (said.end == ending::lost) CHECK(came.last_answer.empty());
}

/// The message of the file, and time and restarts until nothing can come any more.
std::string steps_for(const course& said) {
    const bool is_endless = said.end == ending::never;
    std::string steps = R"({"publish": {"to": "in", "payload": "p"}})";
    for (int at = 0; at < 45; ++at) {
        steps += R"(, {"restart": {}}, {"advance": ")";
        steps += is_endless ? "20s" : "1h";
        steps += "\"}";
    }
    return steps;
}

}  // namespace

TEST_CASE("what is explained is what happens, whatever is declared, answered and counted") {
    std::array<int, 8> ends{};
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        support::choices from{seed};
        const auto broker = some_broker(from);
        auto members = some_declarations(from);
        enum about_what { list, list_of_payload, decode, kill };
        const auto about = static_cast<about_what>(from.below(4));
        const auto answers = about == kill ? R"(["crash"])" : some_answers(from);
        members += about == list_of_payload ? R"(, "handler_for": {"p": )" + answers + '}'
                                            : R"(, "handler": )" + answers;
        if (about == decode) members += R"(, "codec": "json", "message": {"id": "u64"})";
        CAPTURE(seed);
        CAPTURE(broker);
        CAPTURE(members);
        const auto what = explained(file_of(broker, members));
        REQUIRE(what.problems.empty());
        const auto& means = what.subscriptions[0];
        const auto said = about == list              ? means.handler
                          : about == list_of_payload ? means.for_payload.begin()->second
                          : about == decode          ? means.undecodable.value()
                                                     : means.crashes;
        if (about == kill && said.end != ending::moved) {
            CHECK((means.said.crash_loop == "bounded") == (said.end != ending::never));
        }
        ++ends[static_cast<std::size_t>(said.end)];
        compare(said, support::play_text(file_of(broker, members, steps_for(said))));
    }
    // Each way to end was among them, but for the one that takes a million deliveries.
    for (std::size_t at = 0; at + 1 < ends.size(); ++at) {
        CAPTURE(at);
        CHECK(ends[at] > 0);
    }
}

TEST_CASE("the worst case is a handler that is never done, with the waits of its list") {
    const auto means = meaning_of(R"(, "max_attempts": 4, "dead_letter": "dead",
        "backoff": {"fixed": "10s"}, "handler": ["retry_after 30s", "ack"])");
    CHECK(means.handler.deliveries == 2);
    CHECK(means.handler.waiting == std::chrono::seconds{30});
    CHECK(means.handler.end == ending::acked);
    CHECK(means.worst.deliveries == 4);
    CHECK(means.worst.waiting == std::chrono::seconds{50});
    CHECK(means.worst.end == ending::dead_letter);
}

TEST_CASE("the longest list of a subscription is its worst case") {
    const auto means = meaning_of(R"(, "max_attempts": 3, "handler": ["retry"],
        "handler_for": {"a": ["retry_after 1h"], "b": ["retry_after 5s"]})");
    CHECK(means.worst.waiting == std::chrono::hours{2});
}

TEST_CASE("without a cap there is no worst case: deliveries and waits are unbounded") {
    const auto means = meaning_of(R"(, "handler": ["retry"])");
    CHECK(means.worst.end == ending::never);
    CHECK(means.worst.waiting == unbounded);
}

TEST_CASE("a sum of waits that no duration can hold is unbounded") {
    const auto means =
        meaning_of(R"(, "max_attempts": 3, "handler": ["retry_after 60000d"], "dead_letter": "d")");
    CHECK(means.worst.deliveries == 3);
    CHECK(means.worst.waiting == unbounded);
}

TEST_CASE("a cap that nobody reaches is followed only so far") {
    const auto means = meaning_of(R"(, "max_attempts": 1000000000, "handler": ["retry"])");
    CHECK(means.worst.end == ending::not_followed);
    CHECK(means.worst.deliveries == most_followed);
}

TEST_CASE("a service that would be refused is not explained") {
    const auto what = explained(file_of("", R"(, "max_attempts": 0, "dead_letter": "in")"));
    CHECK(what.subscriptions.empty());
    REQUIRE(what.problems.size() == 2);
    CHECK(what.problems[0].message().find("max_attempts(0) cannot be") != std::string::npos);
}

TEST_CASE("a copy to a fixed address ends here, and who reads it is named") {
    const auto text = R"({"transport": "memory", "subscriptions": [
        {"name": "first", "source": {"name": "a"}, "max_attempts": 3, "retry_to": "b"},
        {"name": "second", "source": {"name": "b"}, "max_attempts": 3}]})";
    const auto what = explained(text);
    CHECK(what.subscriptions[0].worst.end == ending::moved);
    CHECK(what.subscriptions[0].worst.deliveries == 1);
    CHECK(what.subscriptions[0].copies_go_to == std::vector<std::string>{"second"});
}

TEST_CASE("the explanation for programs says unbounded where it is") {
    const auto told = read(file_of("", R"(, "handler": ["retry"])")).value();
    const auto made = as_json(told, explain(told));
    const auto& one = made.find("subscriptions")->items()->at(0);
    CHECK(*one.find("worst_case")->find("deliveries")->text() == "unbounded");
    CHECK(*one.find("worst_case")->find("waiting_ms")->text() == "unbounded");
    CHECK(*one.find("worst_case")->find("ends")->text() == "never");
    CHECK(*one.find("crashes")->find("ends")->text() == "lost");
    CHECK(one.find("undecodable") == nullptr);
}

TEST_CASE("the explanation for people is one line for each label, and harmless") {
    const auto told = read(R"({"name": "one\u001b[31m", "transport": "memory", "subscriptions": [
        {"name": "s", "source": {"name": "in"}, "max_attempts": 4, "dead_letter": "dead",
         "backoff": {"exponential": ["1s", "5m"]}, "handler": ["retry"],
         "handler_for": {"a\u009b2J": ["drop"]}}]})")
                          .value();
    const auto text = as_text(told, explain(told), false);
    CHECK(text.find("A message that is never done has 4 deliveries, and waits 7s in all.") !=
          std::string::npos);
    CHECK(text.find("the dead letter dead, reason attempts.") != std::string::npos);
    CHECK(text.find('\033') == std::string::npos);
    CHECK(text.find("\xC2\x9B") == std::string::npos);
    CHECK(text.find("one\\u001b[31m") != std::string::npos);
    CHECK(as_text(told, explain(told), true).find("\033[1m") != std::string::npos);
}
