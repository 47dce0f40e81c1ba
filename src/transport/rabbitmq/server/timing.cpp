// What happens by itself when its time has come.
#include "transport/rabbitmq/server/vhost.hpp"

#include <algorithm>

namespace waybill::rabbitmq::fake {
namespace {

void take_earlier(std::optional<nanoseconds>& due, std::optional<nanoseconds> other) {
    if (other && (!due || *other < *due)) due = other;
}

}  // namespace

/// A declaration and the end of the last consumer begin its time without use anew.
void vhost::note_unused(queue& of) const {
    of.unused_until.reset();
    if (of.policy.expires && of.consumers.empty()) of.unused_until = in_.now() + *of.policy.expires;
}

std::optional<nanoseconds> vhost::due_of(const queue& of) const {
    auto due = of.unused_until;
    if (!of.is_empty()) take_earlier(due, of.front().due);
    if (!of.dead.empty()) take_earlier(due, of.dead.front().again);
    return due;
}

void vhost::note_due(queue& of) {
    const auto due = due_of(of);
    if (due == of.on_agenda) return;
    forget_due(of);
    if (due) agenda_.insert({*due, of.serial, &of});
    of.on_agenda = due;
}

void vhost::forget_due(queue& of) {
    if (of.on_agenda) agenda_.erase({*of.on_agenda, of.serial, &of});
    of.on_agenda.reset();
}

std::optional<nanoseconds> vhost::next_due() const {
    if (agenda_.empty()) return std::nullopt;
    return agenda_.begin()->due;
}

bool vhost::tick(nanoseconds now) {
    if (agenda_.empty() || agenda_.begin()->due > now) return false;
    auto& of = *agenda_.begin()->with;
    const auto name = of.spec.name;
    if (!of.is_empty() && of.front().due && *of.front().due <= now) {
        die(of, of.take_front(), reason::expired);
    } else if (!of.dead.empty() && of.dead.front().again <= now) {
        try_again(of);
    } else if (of.unused_until && *of.unused_until <= now) {
        remove(of);
    }
    if (auto* still = find(name)) serve(*still);
    return true;
}

}  // namespace waybill::rabbitmq::fake
