// What dies in a queue: its dead letter, and what is dropped.
#include "transport/rabbitmq/server/deaths.hpp"
#include "transport/rabbitmq/server/vhost.hpp"

#include <algorithm>
#include <utility>

namespace waybill::rabbitmq::fake {
namespace {

/// After which the server tries again to pass on the dead that their target did not take.
constexpr std::chrono::minutes between_tries{3};

}  // namespace

void vhost::say_removed(const queue& from, std::string_view why, const message& what) const {
    in_.removed({from.spec.name, why, what.with.packed()});
}

void vhost::die(queue& in, entry one, std::string_view why) {
    if (!in.policy.dead_letter) {
        say_removed(in, why, *one.what);
        return;
    }
    hold(in, {std::move(one), std::string{why}, {}, in_.now() + between_tries});
}

/// Passes it on, and keeps it only where the queue vouches for its dead.
void vhost::hold(queue& in, queue::held_dead one) {
    const auto after = std::make_shared<const message>(after_death(
        *one.what.what, in.spec.name, one.reason, *in.policy.dead_letter, version(), in_.wall()));
    const auto deaths = deaths_of(*after, version());
    auto to = route(*after);
    const bool had_target = !to.empty();
    if (one.reason != reason::rejected)
        std::erase_if(to, [&](const queue* each) { return is_cycle(each->spec.name, deaths); });
    const bool was_cycle = had_target && to.empty();
    std::erase_if(to, [&](const queue* each) { return one.taken_by.contains(each->spec.name); });

    bool all_took_it = true;
    for (auto* each : to) {
        if (put(*each, after)) {
            one.taken_by.insert(each->spec.name);
            in_.moved({in.spec.name, one.reason, each->spec.name, one.taken_by.size() == 1,
                       after->with.packed()});
        } else {
            all_took_it = false;
        }
    }
    if (in.policy.is_at_least_once && !was_cycle && (!all_took_it || !had_target)) {
        in.dead.push_back(std::move(one));
    } else if (one.taken_by.empty()) {
        say_removed(in, was_cycle ? "cycle" : "unroutable", *one.what.what);
    }
}

void vhost::try_again(queue& in) {
    auto one = std::move(in.dead.front());
    in.dead.pop_front();
    one.again = in_.now() + between_tries;
    hold(in, std::move(one));
}

}  // namespace waybill::rabbitmq::fake
