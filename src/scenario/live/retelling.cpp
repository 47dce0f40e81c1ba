#include "scenario/live/retelling.hpp"

#include "scenario/live/told.hpp"

#include <algorithm>
#include <utility>

namespace waybill::scenario {

using told::number_in;
using told::text_in;

namespace {

template <class Enum>
Enum as(const json::value& line, std::string_view name) {
    return static_cast<Enum>(number_in(line, name));
}

void* token_of(std::uint64_t number) noexcept {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(number));
}

}  // namespace

delivery retelling::of(const json::value& line) const {
    const auto found = by_place_.find(number_in(line, "place"));
    if (found == by_place_.end()) return {};
    const auto& message = found->second->message;
    const auto attempt = static_cast<std::uint32_t>(number_in(line, "attempt"));
    return {message.address, message.payload, message.packed_headers, attempt, message.redelivered};
}

void retelling::took(const json::value& line) {
    constexpr std::size_t behind = 64;
    auto made = std::make_unique<held>();
    made->headers = told::bytes_in(line, "headers");
    made->payload = told::bytes_in(line, "payload");
    made->address = text_in(line, "address");
    const auto size = made->payload.size();
    made->payload.resize(size + behind);
    const auto token = number_in(line, "token");
    auto& message = made->message;
    message.address = made->address;
    message.payload = std::span{made->payload}.first(size);
    message.packed_headers = made->headers;
    message.token = token_of(token);
    message.counted = static_cast<std::uint32_t>(number_in(line, "counted"));
    message.redelivered = told::truth_in(line, "redelivered");
    message.expires_at_ms = told::signed_in(line, "expires_at");
    seen_.took(number_in(line, "subscription"), message, made->room);
    by_place_[number_in(line, "place")] = made.get();
    hand_[token] = std::move(made);
}

void retelling::passed(const json::value& line) {
    const auto token = number_in(line, "token");
    detail::settle_op operation;
    operation.token = token_of(token);
    operation.kind = as<detail::settle_kind>(line, "kind");
    seen_.passed(operation, told::truth_in(line, "stale"));
    const auto found = hand_.find(token);
    if (found == hand_.end() || operation.kind == detail::settle_kind::leave) return;
    std::erase_if(by_place_, [&](const auto& each) { return each.second == found->second.get(); });
    hand_.erase(found);
}

void retelling::begin_sending(const json::value& line, line_socket& from) {
    auto& made = sending_[++last_handle_];
    made.address = text_in(line, "address");
    made.headers = told::bytes_in(line, "headers");
    made.payload = told::bytes_in(line, "payload");
    if (line.find("why") != nullptr)
        seen_.sending(as<settle::publish_reason>(line, "why"), of(line));
    made.what = seen_.sending_now(made.view(), text_in(line, "via"));
    from.send(
        json::object{{"id", made.what.id}, {"handle", last_handle_}, {"fails", made.what.fails}});
}

void retelling::end_sending(const json::value& line) {
    const auto found = sending_.find(number_in(line, "handle"));
    if (found == sending_.end()) return;
    seen_.sending_ended(found->second.what, found->second.view(),
                        as<detail::publish_status>(line, "status"));
    sending_.erase(found);
}

bool retelling::hear(const json::value& line, line_socket& from) {
    const auto what = text_in(line, "do");
    const auto subscription = text_in(line, "subscription");
    if (what == "took") {
        took(line);
    } else if (what == "passed") {
        passed(line);
    } else if (what == "sending") {
        begin_sending(line, from);
    } else if (what == "sent") {
        end_sending(line);
    } else if (what == "runs") {
        from.send(json::object{{"run", std::uint64_t{seen_.next_run(of(line))}}});
    } else if (what == "delivered") {
        seen_.delivered(subscription, of(line));
    } else if (what == "answered") {
        const outcome answer{as<outcome_kind>(line, "kind"),
                             nanoseconds{told::signed_in(line, "delay")}};
        seen_.answered(subscription, of(line), answer, text_in(line, "error"));
    } else if (what == "exceeded") {
        seen_.exceeded(subscription, of(line));
    } else if (what == "settled") {
        seen_.settled(subscription, static_cast<std::uint32_t>(number_in(line, "attempt")),
                      as<detail::settle_kind>(line, "kind"));
    } else if (what == "will_publish") {
        seen_.will_publish(of(line), as<published_why>(line, "why"));
    } else if (what == "reads") {
        const auto which = number_in(line, "subscription");
        seen_.reads(which, told_.subscriptions.at(which).declared.from, text_in(line, "reader"));
    } else if (what == "closes") {
        seen_.closes();
    } else if (what == "line") {
        trace_.pass_on(*line.find("line"));
    } else {
        return false;
    }
    return true;
}

void retelling::doubt_all() {
    for (const auto& [handle, each] : sending_) seen_.may_have_arrived(each.what);
}

void retelling::forget_all() {
    hand_.clear();
    by_place_.clear();
    sending_.clear();
}

}  // namespace waybill::scenario
