#include "transport/rabbitmq/server/connection.hpp"
#include "transport/rabbitmq/server/publishing.hpp"
#include "transport/rabbitmq/server/registry.hpp"
#include "transport/rabbitmq/server/server.hpp"
#include <waybill/rabbitmq_testing.hpp>

#include <stdexcept>
#include <utility>

namespace waybill::rabbitmq {
namespace {

using fake::server;

constexpr std::string_view waiting_prefix = "waybill.wait.v1.";

stored_message copy_of(const fake::entry& of) {
    const auto& what = *of.what;
    return {what.exchange, what.keys.front(), what.with,
            std::string{reinterpret_cast<const char*>(what.body.data()), what.body.size()},
            of.deliveries};
}

fake::message accepted(const fake::vhost& in, const server& at, const publish_target& to,
                       std::span<const std::byte> payload, const headers& with) {
    const auto user = with.text(":user_id").value_or("");
    auto made = fake::accept(fake::incoming{{to.exchange, to.key, with.packed(), payload, false}},
                             in, user, at.how());
    if (!made) throw std::invalid_argument{made.error().text};
    return std::move(*made);
}

/// As a client reads it.
connection_settings place_of(std::string_view url) {
    auto read = parse_url(url);
    if (!read) throw std::invalid_argument{read.error().front().message()};
    return std::move(*read);
}

}  // namespace

fake_server::fake_server(std::string_view url) {
    auto place = place_of(url);
    server_ = fake::find_or_put(place.hosts, std::make_shared<server>(server_options{}));
    vhost_ = std::move(place.vhost);
}

fake_server::fake_server(std::string_view url, const server_options& how) {
    auto place = place_of(url);
    const auto made = std::make_shared<server>(how);
    server_ = fake::find_or_put(place.hosts, made);
    if (server_ != made) {
        throw std::invalid_argument{"a fake server stands at " + place.hosts.front().host + ':' +
                                    std::to_string(place.hosts.front().port) + " already"};
    }
    vhost_ = std::move(place.vhost);
}

fake::vhost& fake_server::home() const { return server_->at(vhost_); }

std::size_t fake_server::publish(const publish_target& to, std::string_view payload,
                                 const headers& with) const {
    return publish(to, std::as_bytes(std::span{payload}), with);
}

std::size_t fake_server::publish(const publish_target& to, std::span<const std::byte> payload,
                                 const headers& with) const {
    const server::turn now{*server_};
    auto& in = home();
    const auto what =
        std::make_shared<const fake::message>(accepted(in, *server_, to, payload, with));
    std::size_t took = 0;
    for (auto* each : in.route(*what)) took += in.publish(what, {each}) ? 1U : 0U;
    return took;
}

std::vector<std::string> fake_server::reached_by(const publish_target& to,
                                                 const headers& with) const {
    const server::turn now{*server_};
    auto& in = home();
    std::vector<std::string> names;
    if (in.exchange(to.exchange) == nullptr) return names;
    for (const auto* each : in.route(accepted(in, *server_, to, {}, with)))
        names.push_back(each->spec.name);
    return names;
}

std::size_t fake_server::queued(std::string_view queue) const {
    const server::turn now{*server_};
    const auto* found = home().find(queue);
    return found != nullptr ? found->size() : 0;
}

std::size_t fake_server::unsettled(std::string_view queue) const {
    const server::turn now{*server_};
    return home().in_hand(queue);
}

std::size_t fake_server::unsettled() const {
    const server::turn now{*server_};
    return home().in_hand({});
}

std::size_t fake_server::waiting() const {
    const server::turn now{*server_};
    std::size_t all = 0;
    home().for_each([&](const fake::queue& each) {
        if (each.spec.name.starts_with(waiting_prefix) && each.consumers.empty())
            all += each.size() + each.dead.size();
    });
    return all;
}

std::vector<stored_message> fake_server::messages(std::string_view queue) const {
    const server::turn now{*server_};
    std::vector<stored_message> all;
    if (const auto* found = home().find(queue))
        found->for_each_ready([&](const fake::entry& each) { all.push_back(copy_of(each)); });
    return all;
}

std::vector<std::string> fake_server::queues() const {
    const server::turn now{*server_};
    std::vector<std::string> names;
    home().for_each([&](const fake::queue& each) { names.push_back(each.spec.name); });
    return names;
}

bool fake_server::exists(std::string_view queue) const {
    const server::turn now{*server_};
    return home().find(queue) != nullptr;
}

std::size_t fake_server::consumers(std::string_view queue) const {
    const server::turn now{*server_};
    const auto* found = home().find(queue);
    return found != nullptr ? found->consumers.size() : 0;
}

headers fake_server::arguments(std::string_view queue) const {
    const server::turn now{*server_};
    const auto* found = home().find(queue);
    return found != nullptr ? found->spec.arguments : headers{};
}

std::vector<std::string> fake_server::connections() const {
    const server::turn now{*server_};
    std::vector<std::string> names;
    for (const auto* each : server_->connections()) names.push_back(each->name());
    return names;
}

std::vector<std::string> fake_server::trace(std::string_view connection) const {
    const server::turn now{*server_};
    return server_->traced(connection);
}

void fake_server::drop_connections() const {
    const server::turn now{*server_};
    server_->drop_connections(std::vector{server_->connections()}, {0, "the connection was lost"});
}

void fake_server::refuse_connections(bool refuses) const {
    const server::turn now{*server_};
    server_->refuses = refuses;
}

void fake_server::restart() const {
    const server::turn now{*server_};
    server_->restart();
}

bool fake_server::delete_queue(std::string_view queue) const {
    const server::turn now{*server_};
    auto* found = home().find(queue);
    if (found == nullptr) return false;
    home().remove(*found);
    return true;
}

bool fake_server::delete_exchange(std::string_view exchange) const {
    const server::turn now{*server_};
    return home().delete_exchange(exchange);
}

void fake_server::fail_publishes(const publish_target& to, std::size_t times,
                                 publish_fault how) const {
    const server::turn now{*server_};
    server_->plan_fault(to, times, how);
}

void fake_server::fail_declarations(std::string_view queue, std::size_t times) const {
    const server::turn now{*server_};
    server_->plan_declarations(queue, times);
}

void fake_server::block(std::string_view reason) const {
    const server::turn now{*server_};
    server_->block(reason);
}

void fake_server::unblock() const {
    const server::turn now{*server_};
    server_->unblock();
}

void fake_server::confirm_order(std::uint64_t seed) const {
    const server::turn now{*server_};
    server_->confirms_by_chance.emplace(seed);
}

void fake_server::watch_removals(std::function<void(const removal&)> told) const {
    const server::turn now{*server_};
    server_->watch = std::move(told);
}

void fake_server::watch_moves(std::function<void(const movement&)> told) const {
    const server::turn now{*server_};
    server_->watch_moves = std::move(told);
}

void fake_server::drain(const std::function<void(const std::string& queue,
                                                 const stored_message& message)>& visit) const {
    const server::turn now{*server_};
    home().drain_all([&](const fake::queue& from, const fake::entry& each) {
        visit(from.spec.name, copy_of(each));
    });
}

void fake_server::drain(std::string_view queue,
                        const std::function<void(const stored_message& message)>& visit) const {
    const server::turn now{*server_};
    auto* found = home().find(queue);
    if (found == nullptr) return;
    while (!found->is_empty()) visit(copy_of(found->take_front()));
    home().serve(*found);
}

std::optional<std::chrono::nanoseconds> fake_server::next_due() const {
    return server_->next_due();
}

std::size_t fake_server::tick(std::chrono::nanoseconds now, std::size_t limit) const {
    return server_->tick(now, limit);
}

}  // namespace waybill::rabbitmq
