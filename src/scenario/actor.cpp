#include "scenario/actor.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace waybill::scenario {
namespace {

using detail::invocation;
using detail::verdict;

struct actor {
    const subscription& told;
    stage& on;
};

const answers& list_for(const subscription& told, std::span<const std::byte> payload) {
    if (told.handler_for.empty()) return told.handler;
    const auto found = told.handler_for.find(bytes{payload.begin(), payload.end()});
    return found != told.handler_for.end() ? found->second : told.handler;
}

const answer& answer_for(actor& self, const delivery& message) {
    const auto& list = list_for(self.told, message.payload());
    return list[std::min(self.on.seen.next_run(message), list.size() - 1)];
}

void stage_publishes(actor& self, invocation& call, const answer& what) {
    for (const auto& each : what.publishes) {
        self.on.seen.will_publish(*call.message, published_why::handler);
        detail::stage_bytes(call, each.to, each.payload);
    }
    if (what.what != answer::kind::reply) return;
    self.on.seen.will_publish(*call.message, published_why::reply);
    detail::stage_bytes(call, call.outputs[0].address, std::as_bytes(std::span{what.reply}));
}

outcome outcome_of(const answer& what) {
    switch (what.what) {
        case answer::kind::drop:
            return drop();
        case answer::kind::retry:
            return retry();
        case answer::kind::retry_after:
            // Not `retry_after`, which makes a retry of a delay of zero.
            return {outcome_kind::retry_after, what.delay};
        default:
            return ack();
    }
}

constexpr const char* thrown_text = "the handler threw, as the scenario says";

verdict answer_now(actor& self, invocation& call, const answer& what) {
    stage_publishes(self, call, what);
    if (what.what == answer::kind::throws) throw std::runtime_error{thrown_text};
    if (what.what == answer::kind::throws_number) throw what.number;
    if (what.what == answer::kind::crash) self.on.crash();
    return {outcome_of(what)};
}

/// The lane keeps the invocation until the settlement is used.
verdict answer_later(actor& self, invocation& call, const answer& what) {
    auto right = std::make_shared<settlement>(call.slot, call.serial);
    self.on.later(what.takes, [&self, &call, &what, right] {
        stage_publishes(self, call, what);
        const bool throws =
            what.what == answer::kind::throws || what.what == answer::kind::throws_number;
        if (throws) call.problem = thrown_text;
        if (what.what == answer::kind::crash) return self.on.crash();
        std::move(*right).settle(outcome_of(what));
    });
    return {{}, verdict::kind::deferred};
}

verdict invoke(void* object, invocation& call) {
    auto& self = *static_cast<actor*>(object);
    const auto& what = answer_for(self, *call.message);
    return what.takes > nanoseconds{0} ? answer_later(self, call, what)
                                       : answer_now(self, call, what);
}

template <class Wanted>
bool any_answer(const subscription& told, Wanted wanted) {
    return std::ranges::any_of(told.handler, wanted) ||
           std::ranges::any_of(told.handler_for, [&](const auto& each) {
               return std::ranges::any_of(each.second, wanted);
           });
}

}  // namespace

detail::handler make_handler(const subscription& told, stage& on, const value_type* decodes) {
    detail::handler made;
    made.object = std::make_shared<actor>(told, on);
    made.invoke = &invoke;
    made.decodes = decodes;
    made.defers = any_answer(told, [](const auto& each) { return each.takes > nanoseconds{0}; });
    if (any_answer(told, [](const auto& each) { return each.what == answer::kind::reply; })) {
        const bool is_raw = told.codec == codec_name::raw;
        made.outputs.push_back(
            {is_raw ? &value_type_of<std::vector<std::byte>>() : &value_type_of<std::string>(),
             {},
             true});
    }
    return made;
}

}  // namespace waybill::scenario
