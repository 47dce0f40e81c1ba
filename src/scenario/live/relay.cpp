#include "scenario/live/relay.hpp"

#include "scenario/live/told.hpp"
#include "scenario/tag.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <utility>

namespace waybill::scenario {

using told::bytes_as_text;
using told::place_of;

namespace {

/// What the next publish of this thread is for.
struct intent {
    settle::publish_reason why;
    std::uint64_t place;
};
thread_local std::optional<intent> meant;

template <class Enum>
json::value number_of(Enum what) {
    return std::uint64_t{std::to_underlying(what)};
}

json::member place_member(const delivery& message) {
    return {"place", place_of(message.payload().data())};
}

}  // namespace

/// Called with the lock held, so that the times are in order too.
void relay::tell(std::string_view what, json::object with) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    with.push_back({"do", what});
    with.push_back({"at", std::int64_t{std::chrono::nanoseconds{now}.count()}});
    // Without a runner there is no run.
    if (!to_.send(json::value{std::move(with)})) std::_Exit(1);
}

json::value relay::ask(std::string_view what, json::object with) {
    const std::lock_guard lock{mutex_};
    tell(what, std::move(with));
    auto answer = to_.receive(std::nullopt);
    if (!answer) std::_Exit(1);
    return std::move(*answer);
}

void relay::say(std::string_view what, json::object with) {
    const std::lock_guard lock{mutex_};
    tell(what, std::move(with));
}

void relay::pass_on(const json::value& line) { say("line", {{"line", line}}); }

void relay::crash() {
    say("crash");
    for (;;) ::pause();
}

std::size_t relay::next_run(const delivery& message) {
    return told::number_in(ask("runs", {place_member(message)}), "run");
}

void relay::will_publish(const delivery& message, published_why why) {
    say("will_publish", {place_member(message), {"why", number_of(why)}});
}

void relay::reads(std::size_t subscription, const source&, std::string_view reader) {
    say("reads", {{"subscription", std::uint64_t{subscription}}, {"reader", reader}});
}

bool relay::passes_over(const detail::received& message) {
    if (!tag::is_of_another(message.packed_headers, run_)) return false;
    say("passed_over");
    return true;
}

void relay::took(std::size_t subscription, detail::received& message,
                 std::vector<std::byte>& room) {
    say("took", {{"subscription", std::uint64_t{subscription}},
                 {"token", place_of(message.token)},
                 {"place", place_of(message.payload.data())},
                 {"address", message.address},
                 {"headers", bytes_as_text(message.packed_headers)},
                 {"payload", bytes_as_text(message.payload)},
                 {"counted", message.counted},
                 {"redelivered", message.redelivered},
                 {"expires_at", message.expires_at_ms}});
    message.packed_headers = tag::without(message.packed_headers, room);
}

void relay::passed(const detail::settle_op& operation, bool is_stale) {
    say("passed", {{"token", place_of(operation.token)},
                   {"kind", number_of(operation.kind)},
                   {"stale", is_stale}});
}

void relay::sending(settle::publish_reason why, const delivery& of) {
    meant = {why, place_of(of.payload().data())};
}

observer::sent relay::sending_now(const outgoing_view& message, std::string via) {
    json::object with{{"address", message.address},
                      {"headers", bytes_as_text(message.packed_headers)},
                      {"payload", bytes_as_text(message.payload)},
                      {"delay", std::int64_t{message.delay.count()}},
                      {"via", via}};
    if (const auto what = std::exchange(meant, std::nullopt)) {
        with.push_back({"why", number_of(what->why)});
        with.push_back({"place", what->place});
    }
    const auto answer = ask("sending", std::move(with));
    sent made;
    made.id = told::number_in(answer, "id");
    made.handle = told::number_in(answer, "handle");
    made.fails = told::truth_in(answer, "fails");
    made.tagged = tag::onto(message.packed_headers, run_, made.id);
    return made;
}

void relay::sending_ended(const sent& one, const outgoing_view&, detail::publish_status status) {
    say("sent", {{"handle", one.handle}, {"status", number_of(status)}});
}

void relay::delivered(std::string_view subscription, const delivery& message) {
    say("delivered", {{"subscription", subscription},
                      place_member(message),
                      {"attempt", std::uint64_t{message.attempt()}}});
}

void relay::answered(std::string_view subscription, const delivery& message, outcome answer,
                     std::string_view error) {
    say("answered", {{"subscription", subscription},
                     place_member(message),
                     {"attempt", std::uint64_t{message.attempt()}},
                     {"kind", number_of(answer.kind())},
                     {"delay", std::int64_t{answer.delay().count()}},
                     {"error", error}});
}

void relay::exceeded(std::string_view subscription, const delivery& message) {
    say("exceeded", {{"subscription", subscription},
                     place_member(message),
                     {"attempt", std::uint64_t{message.attempt()}}});
}

void relay::settled(std::string_view subscription, std::uint32_t attempt,
                    detail::settle_kind kind) {
    say("settled", {{"subscription", subscription},
                    {"attempt", std::uint64_t{attempt}},
                    {"kind", number_of(kind)}});
}

}  // namespace waybill::scenario
