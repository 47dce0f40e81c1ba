// The life of a connection: how it ends, what the client reads and how it waits.
#include "transport/rabbitmq/server/connection.hpp"

#include "transport/rabbitmq/server/refusals.hpp"
#include "transport/rabbitmq/server/shuffle.hpp"
#include "transport/rabbitmq/server/words.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace waybill::rabbitmq::fake {

mailbox& mailbox_of(connection& of) { return of; }

connection::connection(std::shared_ptr<fake::server> at, vhost& in, server_facts facts,
                       std::string name, std::shared_ptr<listener> told)
    : server_{std::move(at)},
      in_{in},
      facts_{std::move(facts)},
      name_{std::move(name)},
      told_{std::move(told)} {
    server_->joined(*this);
}

connection::~connection() {
    const turn now{*server_};
    if (!fallen_) fall_alone({0, "the client is gone"});
    server_->left(*this);
}

void connection::close() noexcept {
    const turn now{*server_};
    if (fallen_) return;
    note("client connection.close");
    fall_alone({0, "the connection was closed"});
}

std::vector<std::unique_ptr<channel>> connection::fall(const refusal& why) {
    fallen_ = why;
    news_.clear();
    unread_.clear();
    std::vector<std::unique_ptr<channel>> all;
    for (auto& [id, each] : channels_) all.push_back(std::move(each));
    channels_.clear();
    note(why.code == 0 ? "server (fallen)" : "server connection.close " + why.text);
    arrived_.notify_all();
    server_->has_news(told_);
    return all;
}

void connection::fall_alone(const refusal& why) { server_->drop_connections({this}, why); }

void connection::post(news::any what) {
    news_.push_back(std::move(what));
    arrived_.notify_all();
    server_->has_news(told_);
}

channel* connection::find(channel_id id) const {
    const auto found = channels_.find(id);
    return found == channels_.end() ? nullptr : found->second.get();
}

channel* connection::for_method(channel_id id) {
    if (fallen_) return nullptr;
    auto* on = find(id);
    if (on == nullptr) {
        fall_alone({504, "CHANNEL_ERROR - expected 'channel.open'"});
        return nullptr;
    }
    return on->is_open ? on : nullptr;
}

void connection::end(channel_id id) {
    const auto one = std::move(channels_.at(id));
    channels_.erase(id);
    forget_news_of(id);
    in_.end({one.get()});
}

/// Its client is told when it reads; until then what it sends there is ignored.
void connection::close_by_server(channel& one, const refusal& why) {
    if (ends_connection(why.code)) {
        fall_alone(why);
        return;
    }
    one.is_open = false;
    in_.end({&one});
    post(news::closed{one.id, why});
}

void connection::forget_news_of(channel_id id) {
    const auto is_its_own = [&](const news::any& each) { return channel_of(each) == id; };
    std::erase_if(news_, is_its_own);
    std::erase_if(batch_, is_its_own);
}

/// A client that waits for an answer finds the closure in its place.
refusal connection::taken_closure(channel_id id) {
    refusal why;
    for (const auto* all : {&batch_, &news_}) {
        for (const auto& each : *all) {
            const auto* closed = std::get_if<news::closed>(&each);
            if (closed != nullptr && closed->on == id) why = closed->why;
        }
    }
    forget_news_of(id);
    channels_.erase(id);
    return why;
}

wire::answer<void> connection::flush() {
    const turn now{*server_};
    if (fallen_) return std::unexpected(*fallen_);
    return {};
}

wire::answer<bool> connection::read(wire_events& to) {
    {
        const turn now{*server_};
        if (fallen_) return std::unexpected(*fallen_);
        batch_.swap(news_);
        if (auto& chance = server_->confirms_by_chance) mix_confirms(batch_, *chance);
        for (const auto& each : batch_) note(words_of(each));
    }
    const bool had_any = !batch_.empty();
    while (!batch_.empty()) {
        const auto next = std::move(batch_.front());
        batch_.pop_front();
        if (const auto* closed = std::get_if<news::closed>(&next)) {
            const turn now{*server_};
            channels_.erase(closed->on);
        }
        tell(to, next);
    }
    return had_any;
}

void connection::tell(wire_events& to, const news::any& what) {
    if (const auto* one = std::get_if<news::delivery>(&what)) {
        const auto& body = one->what->body;
        auto* into =
            to.begins({one->on, one->consumer, one->tag, one->redelivered, one->what->exchange,
                       one->what->keys.front(), one->with.packed(), body.size()});
        if (into != nullptr && !body.empty()) std::memcpy(into, body.data(), body.size());
        to.arrived();
    } else if (const auto* back = std::get_if<news::returned>(&what)) {
        to.returned({back->on, 312, "NO_ROUTE", back->what->exchange, back->what->keys.front(),
                     back->what->with.packed()});
    } else if (const auto* confirm = std::get_if<news::confirmed>(&what)) {
        to.confirmed(confirm->on, confirm->tag, confirm->multiple, confirm->taken);
    } else if (const auto* cancel = std::get_if<news::cancelled>(&what)) {
        to.cancelled(cancel->on, cancel->consumer);
    } else if (const auto* closed = std::get_if<news::closed>(&what)) {
        to.channel_closed(closed->on, closed->why);
    } else {
        to.blocked(std::get<news::blocked>(what).reason);
    }
}

void connection::wait(std::optional<std::chrono::nanoseconds> at_most) {
    using real = std::chrono::steady_clock;
    const auto begun = real::now();
    std::unique_lock lock{server_->mutex()};
    auto until = server_->due_in_real_time();
    if (at_most && *at_most < std::chrono::hours{1'000'000}) {
        const auto end = begun + *at_most;
        until = until ? std::min(*until, end) : end;
    }
    const auto has_reason = [&] { return woken_ || fallen_ || !news_.empty(); };
    if (until) {
        arrived_.wait_until(lock, *until, has_reason);
    } else {
        arrived_.wait(lock, has_reason);
    }
    woken_ = false;
}

void connection::wake() noexcept {
    const std::lock_guard lock{server_->mutex()};
    woken_ = true;
    arrived_.notify_all();
}

void connection::later_or_now(std::function<void()> act) {
    if (fallen_) return;
    if (is_blocked_) {
        unread_.push_back(std::move(act));
    } else {
        act();
    }
}

void connection::unblocked() {
    if (!is_blocked_ || fallen_) return;
    is_blocked_ = false;
    post(news::blocked{""});
    while (!unread_.empty() && !fallen_) {
        const auto act = std::move(unread_.front());
        unread_.pop_front();
        act();
    }
}

}  // namespace waybill::rabbitmq::fake
