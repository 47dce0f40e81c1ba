#include "transport/rabbitmq/server/server.hpp"

#include "transport/rabbitmq/server/connection.hpp"
#include "transport/rabbitmq/server/refusals.hpp"

#include <algorithm>

namespace waybill::rabbitmq::fake {
namespace {

constexpr std::size_t most_trace_lines = 10'000;

const char* number_of(server_version version) {
    switch (version) {
        case server_version::v3_10:
            return "3.10.8";
        case server_version::v4_0:
            return "4.0.5";
        case server_version::v4_3:
            return "4.3.6";
    }
    return "";
}

template <class T>
T lower_of(T a, T b) {
    return a == 0 ? b : b == 0 ? a : std::min(a, b);
}

}  // namespace

server::server(const server_options& how)
    : around_{how, [this] { return now(); },
              [this] { return time_ != nullptr ? time_->wall() : std::chrono::milliseconds{0}; },
              [this](const removal& what) {
                  if (watch) watch(what);
              },
              [this](const movement& what) {
                  if (watch_moves) watch_moves(what);
              }} {
    if (how.time != nullptr) {
        time_ = how.time;
        since_ = time_->now();
    }
}

server::turn::~turn() {
    const auto all = std::exchange(of_.to_tell_, {});
    lock_.unlock();
    for (const auto& each : all) each->told();
}

void server::has_news(const std::shared_ptr<listener>& one) {
    if (one == nullptr || !one->told) return;
    if (std::ranges::find(to_tell_, one) == to_tell_.end()) to_tell_.push_back(one);
}

vhost& server::at(std::string_view name) {
    const auto found = vhosts_.find(name);
    if (found != vhosts_.end()) return *found->second;
    return *vhosts_.emplace(name, std::make_unique<vhost>(std::string{name}, around_))
                .first->second;
}

std::expected<std::unique_ptr<wire>, refusal> server::open(const connection_settings& to,
                                                           std::string_view name,
                                                           const std::shared_ptr<listener>& told) {
    const turn now{*this};
    if (refuses) return std::unexpected(refusal{0, "the server refuses connections"});
    const auto& how = around_.how;
    if (!how.user.empty() && to.by == login::plain &&
        (to.user != how.user || to.password != how.password)) {
        return std::unexpected(
            access_refused("Login was refused using authentication mechanism PLAIN"));
    }
    server_facts facts{"RabbitMQ",
                       number_of(how.version),
                       "rabbit@fake",
                       lower_of<std::uint32_t>(to.frame_max, 131'072),
                       lower_of<std::uint16_t>(to.channel_max, 2047),
                       to.user};
    trace(name, "client connection.open " + to.vhost);
    return std::make_unique<connection>(shared_from_this(), at(to.vhost), std::move(facts),
                                        std::string{name}, told);
}

void server::trace(std::string_view connection_name, std::string line) {
    if (trace_.size() == most_trace_lines) trace_.pop_front();
    trace_.emplace_back(connection_name, std::move(line));
}

std::vector<std::string> server::traced(std::string_view connection_name) const {
    std::vector<std::string> lines;
    for (const auto& [name, line] : trace_) {
        if (name.starts_with(connection_name)) lines.push_back(line);
    }
    return lines;
}

/// All at once: what one has in hand is not given to another that falls with it.
void server::drop_connections(const std::vector<connection*>& all, const refusal& why) {
    std::vector<std::unique_ptr<channel>> ended;
    for (auto& [name, vhost] : vhosts_) {
        std::vector<channel*> channels;
        for (auto* each : all) {
            if (&each->in() != vhost.get()) continue;
            for (auto& one : each->fall(why)) {
                channels.push_back(one.get());
                ended.push_back(std::move(one));
            }
        }
        vhost->end(channels);
        for (auto* each : all) {
            if (&each->in() == vhost.get()) vhost->delete_exclusive_queues(*each);
        }
    }
    std::erase_if(connections_,
                  [&](auto* each) { return std::ranges::find(all, each) != all.end(); });
}

void server::restart() {
    drop_connections(std::vector{connections_}, {0, "the server restarted"});
    for (auto& [name, each] : vhosts_) each->restart();
    blocked_.clear();
}

void server::plan_fault(const publish_target& to, std::size_t times, publish_fault how) {
    if (times == 0) {
        plans_.erase({to.exchange, to.key});
    } else {
        plans_.insert_or_assign({to.exchange, to.key}, plan{times, how});
    }
}

std::optional<publish_fault> server::take_fault(const std::string& exchange,
                                                const std::string& key) {
    if (plans_.empty()) return std::nullopt;
    const auto found = plans_.find({exchange, key});
    if (found == plans_.end()) return std::nullopt;
    const auto how = found->second.how;
    if (--found->second.times == 0) plans_.erase(found);
    return how;
}

void server::plan_declarations(std::string_view queue, std::size_t times) {
    declarations_.insert_or_assign(std::string{queue}, times);
}

bool server::fails_declaration(const std::string& queue) {
    const auto found = declarations_.find(queue);
    if (found == declarations_.end() || found->second == 0) return false;
    --found->second;
    return true;
}

void server::block(std::string_view reason) { blocked_ = reason.empty() ? "low" : reason; }

void server::unblock() {
    blocked_.clear();
    for (auto* each : std::vector{connections_}) each->unblocked();
}

}  // namespace waybill::rabbitmq::fake
