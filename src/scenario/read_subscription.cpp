// One subscription of a file.
#include "scenario/mistakes.hpp"
#include "scenario/reading.hpp"

#include <array>

namespace waybill::scenario {
namespace {

void read_source(fields& from, const reading& in, declaration& into) {
    const auto at = from.need("source");
    if (!at || in.transport == nullptr) return;
    at->object([&](fields& source) { into.from = in.transport->read_source(source, *in.broker); });
}

/// Numbers that cannot be are left to the check at the start of the service, which says more.
void read_limits(fields& from, declaration& into) {
    into.concurrency = from.integer("concurrency").value_or(1);
    into.max_attempts = from.integer("max_attempts");
    into.max_redeliveries = from.integer("max_redeliveries");
    into.drop_when_spent = from.boolean("drop_when_spent").value_or(false);
    into.skip_foreign_copies = from.boolean("skip_foreign_copies").value_or(false);
}

void read_addresses(fields& from, const reading& in, subscription& into) {
    auto& declared = into.declared;
    declared.dead_letter = read_address(from.take("dead_letter"), in);
    declared.reply_to = read_address(from.take("reply_to"), in);
    declared.retry_to = read_address(from.take("retry_to"), in);
    if (declared.retry_to == "$delivery") {
        declared.retry_to_delivery = true;
        declared.retry_to.reset();
    }
}

void read_policies(fields& from, declaration& into) {
    if (const auto at = from.take("backoff")) into.retry_delay = read_backoff(*at);
    if (const auto at = from.take("on_exception")) {
        into.on_exception = read_failure_policy(*at).value_or(retry());
    }
    if (const auto at = from.take("on_undecodable")) {
        into.on_undecodable = read_failure_policy(*at);
    }
    into.drop_to_broker = from.choice("on_drop", {"ack", "broker"}) == 1;
}

void read_formerly(fields& from, declaration& into) {
    const auto at = from.take("formerly");
    if (!at) return;
    const auto add = [&](const entry& each) {
        if (auto name = each.text()) into.formerly.push_back(std::move(*name));
    };
    if (at->is().items() != nullptr) {
        at->list(add);
    } else {
        add(*at);
    }
}

void read_handler(fields& from, const reading& in, subscription& into) {
    if (const auto at = from.take("handler")) into.handler = read_answers(*at, in);
    if (const auto at = from.take("handler_for")) {
        at->map([&](const std::string& payload, const entry& each) {
            into.handler_for[bytes_of(payload)] = read_answers(each, in);
        });
    }
}

/// What the format has and the product has not. To say that an order is not kept is no wish.
void refuse_not_built(fields& from, const reading& in) {
    for (const std::string_view name :
         {"batch", "ordered_by", "keep_order_on_retry", "no_local", "routing"}) {
        const auto at = from.take(name);
        if (!at) continue;
        const bool is_mqtts = name == "no_local" || name == "routing";
        if (is_mqtts && in.transport == nullptr) continue;
        if (name == "keep_order_on_retry" && at->boolean() != true) continue;
        at->wrong(quoted(name) + " is not built yet");
    }
}

}  // namespace

subscription read_subscription(fields& from, const reading& in) {
    subscription made;
    auto& declared = made.declared;
    read_source(from, in, declared);
    declared.name = from.text("name").value_or(declared.from.name);
    read_codec(from, made);
    read_limits(from, declared);
    read_addresses(from, in, made);
    read_policies(from, declared);
    read_formerly(from, declared);
    read_handler(from, in, made);
    check_delay_store(from.take("delay_store"), in);
    refuse_not_built(from, in);
    return made;
}

std::optional<std::string> read_address(const std::optional<entry>& from, const reading& in) {
    if (!from || in.transport == nullptr) return std::nullopt;
    return in.transport->read_address(*from);
}

}  // namespace waybill::scenario
