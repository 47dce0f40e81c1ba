#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/connection.hpp"
#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/profile.hpp"
#include "transport/rabbitmq/routing.hpp"
#include "transport/rabbitmq/streams.hpp"
#include "transport/rabbitmq/topology.hpp"

#include <algorithm>

namespace waybill::rabbitmq {

std::atomic<stand_in>& the_stand_in() noexcept {
    static std::atomic<stand_in> known{nullptr};
    return known;
}

namespace {

/// Servers in memory stand in only where somebody has linked them.
std::unique_ptr<connector> connector_for(const connection_settings& to,
                                         const detail::transport_host& host) {
    const bool by_hand = host.is_driven_by_hand();
    if (const auto in_process = the_stand_in().load()) {
        if (auto made = in_process(to, host.time(), by_hand)) return made;
    }
    return by_hand ? nullptr : make_connector(to);
}

void add_mistakes(std::vector<error>& to, const std::vector<std::string>& what,
                  const std::string& where) {
    for (const auto& each : what) {
        to.push_back({errc::wiring, where, each, "correct its declaration"});
    }
}

/// What the declarations of a queue have against each other.
std::vector<std::string> mistakes_of(const queue::data& what) {
    auto all = what.mistakes;
    if (what.kind == queue_type::quorum) {
        if (!what.spec.durable) all.emplace_back("a quorum queue is always durable");
        if (what.spec.exclusive) all.emplace_back("a quorum queue cannot be exclusive");
        if (what.spec.auto_delete) all.emplace_back("a quorum queue cannot delete itself");
    }
    if (what.delivery_limit && what.kind != queue_type::quorum) {
        all.emplace_back("only a quorum queue has a delivery limit");
    }
    return all;
}

}  // namespace

broker::broker(std::string_view url) {
    auto made = std::make_shared<data>();
    if (auto read = parse_url(url)) {
        made->connection = std::move(*read);
    } else {
        made->mistakes = std::move(read.error());
    }
    data_ = std::move(made);
}

broker::data& broker::change() { return own_copy(data_); }

broker& broker::declare(queue what) {
    change().queues.push_back(std::move(what));
    return *this;
}

broker& broker::declare(exchange what) {
    change().exchanges.push_back(std::move(what));
    return *this;
}

broker& broker::with(tls how) {
    auto& to = change();
    if (!to.connection) return *this;
    if (!to.connection->tls.on) {
        to.mistakes.push_back({errc::wiring, "broker", "TLS is described, and the URL says amqp://",
                               "begin the URL with amqps://"});
    }
    to.connection->tls = {to.connection->tls.on,           std::move(how.ca_file),
                          std::move(how.certificate_file), std::move(how.key_file),
                          how.verify_certificate,          how.verify_host_name};
    return *this;
}

broker& broker::connection_name(std::string name) {
    change().name = std::move(name);
    return *this;
}

broker& broker::publish_window(std::size_t count) {
    auto& to = change();
    if (count == 0) {
        to.mistakes.push_back({errc::wiring, "broker", "a publish window of 0 would send nothing",
                               "leave it out, or let it be at least 1"});
    }
    to.window = count;
    return *this;
}

broker& broker::delays(waits where) {
    change().delays = where;
    return *this;
}

std::string broker::describe() const {
    return data_->connection ? data_->connection->describe() : "amqp (the URL is wrong)";
}

std::vector<std::string> broker::topology(std::span<const source* const> read) const {
    return in_words(*data_, read);
}

std::vector<error> broker::problems() const {
    auto all = data_->mistakes;
    const auto& to = data_->connection;
    if (to && to->by == login::external && to->tls.certificate_file.empty()) {
        all.push_back({errc::wiring, "broker",
                       "auth_mechanism=external needs a certificate of the client",
                       "give certfile and keyfile in the URL, or by with(rabbitmq::tls{...})"});
    }
    if (to && to->tls.certificate_file.empty() != to->tls.key_file.empty()) {
        all.push_back({errc::wiring, "broker",
                       to->tls.key_file.empty() ? "a certificate of the client without its key"
                                                : "a key of the client without its certificate",
                       "give certificate_file and key_file of rabbitmq::tls, or neither"});
    }
    for (const auto& each : data_->queues) {
        add_mistakes(all, mistakes_of(each.said()), "queue " + each.said().spec.name);
    }
    for (const auto& each : data_->exchanges) {
        add_mistakes(all, each.said().mistakes, "exchange " + each.said().spec.name);
    }
    return all;
}

detail::capabilities broker::capabilities_of(const source& from) const {
    return capabilities_for(said_of(from), data_->delays, std::nullopt);
}

std::optional<error> broker::check_address(std::string_view address) const {
    const auto read = read_address(address);
    if (read) return std::nullopt;
    return error{errc::wiring, std::string{address}, read.error(),
                 "name a queue, or write rabbitmq::exchange_key(\"exchange\", \"key\")"};
}

std::optional<error> broker::check_source(const source& from) const {
    const auto& said = said_of(from);
    const auto refuse = [&](std::string what, std::string fix) {
        return error{errc::wiring, from.name, std::move(what), std::move(fix)};
    };
    if (!is_plain_queue(from.name)) {
        return refuse("a queue whose name begins with '/' cannot be read", "rename the queue");
    }
    if (said.kind == queue_type::stream) {
        return refuse(std::string{why_no_stream}, std::string{instead_of_stream});
    }
    auto mistakes = mistakes_of(said);
    if (from.name.empty()) mistakes = {"a queue needs a name"};
    if (mistakes.empty()) return std::nullopt;
    std::string all;
    for (const auto& each : mistakes) all += (all.empty() ? "" : "; ") + each;
    return refuse(std::move(all), "correct the queue's declaration");
}

bool broker::is_same_server(const broker_config& other) const {
    const auto* same = dynamic_cast<const broker*>(&other);
    if (same == nullptr || !data_->connection || !same->data_->connection) return this == &other;
    const auto& mine = *data_->connection;
    const auto& theirs = *same->data_->connection;
    return mine.vhost == theirs.vhost && std::ranges::any_of(mine.hosts, [&](const auto& each) {
               return std::ranges::any_of(theirs.hosts, [&](const auto& there) {
                   return each.host == there.host && each.port == there.port;
               });
           });
}

bool broker::reads(const source& from, std::string_view address) const {
    const auto where = read_address(address);
    if (!where) return false;
    if (where->is_queue()) return where->key == from.name;
    return routes_to(*data_, said_of(from), from.name, *where);
}

std::expected<std::unique_ptr<detail::transport>, error> broker::connect(
    detail::transport_host& host) const {
    if (!data_->connection) return std::unexpected(data_->mistakes.front());
    auto to = connector_for(*data_->connection, host);
    if (to == nullptr) {
        return std::unexpected(error{
            errc::connection, describe(), "a test needs the server in memory, and it is not there",
            "include <waybill/rabbitmq_testing.hpp> and link waybill::rabbitmq_testing"});
    }
    auto made = std::make_unique<connection>(data_, std::move(to), host, describe());
    if (auto opened = made->open(); !opened) return std::unexpected(std::move(opened.error()));
    return made;
}

}  // namespace waybill::rabbitmq
