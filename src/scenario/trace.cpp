#include "scenario/trace.hpp"

#include "scenario/kit.hpp"
#include "scenario/values.hpp"
#include "settle/probe.hpp"
#include "wiring/facts.hpp"

#include <utility>

namespace waybill::scenario {
namespace {

json::value object_of(const counts& all) {
    json::object members;
    for (const auto& [name, count] : all) members.push_back({name, count});
    return members;
}

}  // namespace

const char* name_of(published_why why) noexcept {
    switch (why) {
        case published_why::step:
            return "step";
        case published_why::reply:
            return "reply";
        case published_why::retry:
            return "retry";
        case published_why::dead_letter:
            return "dead_letter";
        case published_why::handler:
            return "handler";
        case published_why::hop:
            return "hop";
    }
    return "handler";
}

json::value in_ms(nanoseconds time) {
    constexpr std::int64_t ms = 1'000'000;
    if (time.count() % ms == 0) return time.count() / ms;
    return static_cast<double>(time.count()) / static_cast<double>(ms);
}

json::object trace::begin(std::string_view event) const {
    json::object line;
    line.reserve(10);
    line.push_back({"at_ms", in_ms(time_->now())});
    line.push_back({"event", event});
    return line;
}

void trace::end(json::object line) const { to_(json::value{std::move(line)}); }

void trace::started(std::string_view subscription, const wiring::facts& said) {
    auto line = begin("started");
    line.push_back({"subscription", subscription});
    line.push_back({"counted_by", said.counted_by});
    line.push_back({"delays", said.delays});
    line.push_back({"kill_loses", said.kill_loses});
    line.push_back({"crash_loop", said.crash_loop});
    line.push_back({"stop_charges", said.stop_charges});
    end(std::move(line));
}

void trace::refused(const error& problem) {
    auto line = begin("refused");
    constexpr std::string_view prefix = "subscription ";
    const std::string_view where = problem.where;
    const bool is_of_one = where.starts_with(prefix);
    line.push_back(
        {"subscription", is_of_one ? json::value{where.substr(prefix.size())} : json::value{}});
    line.push_back({"problem", is_of_one || where.empty() ? problem.what
                                                          : problem.where + ": " + problem.what});
    line.push_back({"fix", problem.fix});
    end(std::move(line));
}

json::object trace::of_delivery(std::string_view event, std::string_view subscription,
                                const delivery& message) const {
    auto line = begin(event);
    line.push_back({"subscription", subscription});
    line.push_back({"attempt", message.attempt()});
    line.push_back({"address", message.address()});
    line.push_back({"headers", by_->headers_of(message.headers())});
    line.push_back({"properties", by_->properties_of(message.headers())});
    add_payload(line, message.payload());
    return line;
}

void trace::delivered(std::string_view subscription, const delivery& message) {
    ++counted_.deliveries[std::string{subscription}];
    ++deliveries_;
    end(of_delivery("delivered", subscription, message));
}

void trace::exceeded(std::string_view subscription, const delivery& message) {
    ++deliveries_;
    end(of_delivery("exceeded", subscription, message));
}

void trace::answered(std::string_view subscription, std::uint32_t attempt, std::string_view outcome,
                     nanoseconds delay, std::string_view error) {
    auto line = begin("outcome");
    line.push_back({"subscription", subscription});
    line.push_back({"attempt", attempt});
    line.push_back({"outcome", outcome});
    line.push_back({"delay_ms", in_ms(delay)});
    if (!error.empty()) line.push_back({"error", error});
    end(std::move(line));
}

void trace::published(const outgoing_view& message, published_why why, bool confirmed,
                      std::string_view via) {
    const bool counts = why != published_why::step && why != published_why::hop;
    if (confirmed && counts) ++counted_.published[std::string{message.address}];
    auto line = begin("published");
    line.push_back({"to", message.address});
    if (!via.empty()) line.push_back({"via", via});
    line.push_back({"why", name_of(why)});
    const auto with = headers::borrow(message.packed_headers);
    line.push_back({"headers", by_->headers_of(with)});
    line.push_back({"properties", by_->properties_of(with)});
    add_payload(line, message.payload);
    line.push_back({"confirmed", confirmed});
    end(std::move(line));
}

void trace::settled(std::string_view subscription, std::uint32_t attempt,
                    detail::settle_kind kind) {
    ++counted_.settled[std::string{subscription}][settle::name_of(kind)];
    auto line = begin("settled");
    line.push_back({"subscription", subscription});
    line.push_back({"attempt", attempt});
    line.push_back({"as", settle::name_of(kind)});
    end(std::move(line));
}

void trace::refused_outcome(std::string_view problem) {
    auto line = begin("refused_outcome");
    line.push_back({"problem", problem});
    end(std::move(line));
}

void trace::warning(std::string_view problem) {
    auto line = begin("warning");
    line.push_back({"problem", problem});
    end(std::move(line));
}

void trace::stopped(std::uint64_t pending_delays, std::uint64_t lost) {
    auto line = begin("stopped");
    line.push_back({"pending_delays", pending_delays});
    line.push_back({"lost", lost});
    end(std::move(line));
}

void trace::pass_on(json::value line) {
    auto& members = *line.members();
    members.front().is = in_ms(time_->now());
    to_(line);
}

void trace::ended(const summary& all) {
    auto line = begin("ended");
    line.push_back({"deliveries", object_of(all.deliveries)});
    line.push_back({"published", object_of(all.published)});
    json::object settled;
    for (const auto& [name, kinds] : all.settled) settled.push_back({name, object_of(kinds)});
    line.push_back({"settled", std::move(settled)});
    line.push_back({"queued", object_of(all.queued)});
    line.push_back({"unsettled", object_of(all.unsettled)});
    line.push_back({"waiting", all.waiting});
    end(std::move(line));
}

}  // namespace waybill::scenario
