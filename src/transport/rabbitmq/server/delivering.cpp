// What comes into queues, and what consumers take and give back.
#include "transport/rabbitmq/server/table.hpp"
#include "transport/rabbitmq/server/vhost.hpp"

#include <utility>

namespace waybill::rabbitmq::fake {

std::vector<queue*> vhost::route(const message& what) const {
    std::vector<queue*> to;
    const auto is_there = [&](const std::string& queue) { return find(queue) != nullptr; };
    for (const auto& name : exchanges_.route(what.exchange, {what.keys, what.with}, is_there))
        to.push_back(find(name));
    return to;
}

bool vhost::publish(const message_ptr& what, const std::vector<queue*>& to) {
    bool all = true;
    for (auto* each : to) all = put(*each, what) && all;
    return all;
}

bool vhost::put(queue& into, const message_ptr& what) {
    if (into.is_refusing(what->body.size())) {
        if (into.policy.when_full == overflows::reject_publish_dlx)
            die(into, entry{what}, reason::too_many);
        return false;
    }
    into.add(what, in_.now());
    serve(into);
    return true;
}

void vhost::serve(queue& of) {
    const auto now = in_.now();
    while (!of.is_empty()) {
        if (of.front().due && *of.front().due < now) {
            die(of, of.take_front(), reason::expired);
            continue;
        }
        auto* taker = of.next_taker();
        if (taker == nullptr) break;
        hand_out(*taker, of.take_front());
    }
    while (of.is_above_limit()) die(of, of.take_front(), reason::too_many);
    note_due(of);
}

void vhost::hand_out(consumer& to, entry one) {
    auto& on = *to.of;
    const auto tag = on.next_tag++;
    mailbox_of(*on.of).post(news::delivery{on.id, to.tag, tag, one.deliveries != 0, one.what,
                                           headers_for(*to.from, one)});
    ++one.deliveries;
    ++to.in_hand;
    on.unsettled.emplace(tag, unsettled_message{to.from, &to, std::move(one)});
}

headers vhost::headers_for(const queue& from, const entry& one) const {
    auto with = one.what->with;
    if (from.policy.type != kind::quorum) return with;
    if (one.failures != 0) with.set("x-delivery-count", one.failures);
    if (one.deliveries != 0 && version() == server_version::v4_3)
        with.set("x-acquired-count", static_cast<std::int64_t>(one.deliveries));
    sort_by_name(with, version() != server_version::v3_10);
    return with;
}

bool vhost::count(const queue& of, entry& one, comeback how) const {
    if (of.policy.type != kind::quorum) return true;
    if (version() == server_version::v4_3 && how == comeback::nacked) return true;
    ++one.failures;
    return !of.policy.delivery_limit || one.failures <= *of.policy.delivery_limit;
}

void vhost::leave_hand(unsettled_message& one) {
    if (one.by != nullptr) --one.by->in_hand;
}

void vhost::acked(unsettled_message& one) {
    leave_hand(one);
    if (one.in != nullptr) serve(*one.in);
}

void vhost::given_back(unsettled_message& one, comeback how, bool requeue) {
    leave_hand(one);
    if (one.in == nullptr) return;
    auto& in = *one.in;
    if (!requeue) {
        die(in, std::move(one.what), reason::rejected);
    } else if (count(in, one.what, how)) {
        in.put_back(std::move(one.what), how, version());
    } else {
        die(in, std::move(one.what), reason::delivery_limit);
    }
    serve(in);
}

void vhost::take_back(channel& from) {
    const auto all = std::exchange(from.unsettled, {});
    std::vector<std::pair<queue*, entry>> over;
    for (const auto& [tag, one] : all) {
        if (one.in == nullptr) continue;
        auto what = one.what;
        if (count(*one.in, what, comeback::lost)) {
            one.in->put_back(std::move(what), comeback::lost, version());
        } else {
            over.emplace_back(one.in, std::move(what));
        }
    }
    for (auto& [in, what] : over) die(*in, std::move(what), reason::delivery_limit);
}

}  // namespace waybill::rabbitmq::fake
