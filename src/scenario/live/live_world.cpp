#include "scenario/live/live_world.hpp"

#include "scenario/rabbitmq_broker.hpp"
#include "scenario/rabbitmq_topology.hpp"
#include "transport/rabbitmq/percent.hpp"
#include "transport/rabbitmq/profile.hpp"
#include "transport/rabbitmq/routing.hpp"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

namespace waybill::scenario {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds to_connect{5};
constexpr std::chrono::seconds to_come_again{60};
constexpr std::chrono::milliseconds to_take_back{200};

/// The gate has an address that no certificate names: the runner's own connection is the one that
/// checks the host name.
void append_tls(std::string& to, const rabbitmq::tls_settings& tls) {
    const auto append = [&](std::string_view key, std::string_view value) {
        if (value.empty()) return;
        to += '&';
        to += key;
        to += '=';
        rabbitmq::append_percent_encoded(to, value);
    };
    append("cacertfile", tls.ca_file);
    append("certfile", tls.certificate_file);
    append("keyfile", tls.key_file);
    append("verify", tls.verifies_certificate ? "verify_peer" : "verify_none");
    append("server_name_indication", "disable");
}

/// The runner's own connection may rest for as long as an advance takes.
rabbitmq::connection_settings without_heartbeat(rabbitmq::connection_settings to) {
    to.heartbeat = std::chrono::seconds{0};
    return to;
}

/// Who would miss it; empty: nobody is seen. What a consumer has in hand is counted nowhere.
std::string use_of(const rabbitmq::queue_state& queue) {
    const auto count = [](std::uint32_t number, std::string_view of) {
        return std::to_string(number) + ' ' + std::string{of} + (number == 1 ? "" : "s");
    };
    std::string all;
    if (queue.messages != 0) all = "it holds " + count(queue.messages, "message");
    if (queue.consumers == 0) return all;
    if (!all.empty()) return all + " and is read by " + count(queue.consumers, "consumer");
    return "it is read by " + count(queue.consumers, "consumer") +
           ", which may have messages in hand";
}

/// Never that of a run in memory. It leaves the sign of the whole tag alone.
tag::run_number a_number() {
    std::random_device chance;
    return std::uniform_int_distribution<tag::run_number>{1, 0x7fffffff}(chance);
}

error cannot(std::string where, std::string what, std::string fix) {
    return {errc::wiring, std::move(where), std::move(what), std::move(fix)};
}

}  // namespace

live_world::live_world(const scenario& told, rabbitmq::connection_settings to,
                       server_control control)
    : told_{told},
      how_{static_cast<const rabbitmq_options&>(*told.broker)},
      to_{std::move(to)},
      control_{std::move(control)},
      gate_{to_.hosts},
      admin_{without_heartbeat(to_)},
      addresses_{addresses_of(told)},
      queues_{queues_of_the_file()},
      run_{a_number()} {
    if (how_.frame_max != 0) to_.frame_max = how_.frame_max;
    config_ = std::make_shared<rabbitmq::broker>(rabbitmq_broker_of(told, url()));
    declared_.exchanges = how_.exchanges;
    declared_.queues = how_.queues;
}

std::set<std::string> live_world::queues_of_the_file() const {
    std::set<std::string> all;
    for (const auto& each : how_.queues) all.insert(each.said().spec.name);
    for (const auto& each : how_.bindings) all.insert(each.queue);
    for (const auto& each : addresses_) {
        const auto where = rabbitmq::read_address(each);
        if (where && where->is_queue()) all.insert(where->key);
    }
    return all;
}

std::string live_world::url() const {
    std::string text = to_.tls.on ? "amqps://" : "amqp://";
    rabbitmq::append_percent_encoded(text, to_.user);
    text += ':';
    rabbitmq::append_percent_encoded(text, to_.password);
    text += "@127.0.0.1:" + std::to_string(gate_.port()) + '/';
    rabbitmq::append_percent_encoded(text, to_.vhost);
    text += "?frame_max=" + std::to_string(to_.frame_max);
    if (to_.by == rabbitmq::login::external) text += "&auth_mechanism=external";
    if (to_.tls.on) append_tls(text, to_.tls);
    return text;
}

std::vector<error> live_world::prepare(bool may_discard) {
    if (auto opened = admin_.open(to_connect); !opened) return {std::move(opened.error())};
    const auto& server = admin_.server().version;
    const auto version = rabbitmq::read_version(server);
    if (how_.names_version && version && *version != how_.version) {
        return {cannot("broker",
                       "the file is for version " + version_text(how_.version) +
                           ", and this server is " + server,
                       "leave the version out, or play the file on such a server")};
    }
    std::vector<error> problems;
    for (const auto& each : queues_) {
        const auto there = admin_.look_at(each);
        const auto use = there && !may_discard ? use_of(*there) : "";
        if (use.empty()) continue;
        problems.push_back(cannot(
            "queue " + each, use + ", and the queues of a file are deleted before it is played",
            "use a vhost of its own, or say --discard"));
    }
    if (!problems.empty()) return problems;
    for (const auto& each : queues_) admin_.remove(each);
    return {};
}

void live_world::clean_up() {
    for (const auto& each : queues_) admin_.remove(each);
    for (const auto& each : waiting_queues_) admin_.remove(each);
}

bool live_world::is_empty() {
    const auto is_empty = [&](const auto& each) { return ready_in(each) == 0; };
    const auto is_read = [&](const auto& each) {
        return std::ranges::any_of(told_.subscriptions,
                                   [&](const auto& one) { return one.declared.from.name == each; });
    };
    return std::ranges::all_of(waiting_queues_, is_empty) &&
           std::ranges::all_of(queues_,
                               [&](const auto& each) { return !is_read(each) || is_empty(each); });
}

void live_world::complete(headers& with) const {
    if (with.contains(rabbitmq::property::delivery_mode)) return;
    constexpr std::uint64_t persistent = 2;
    with.append(rabbitmq::property::delivery_mode,
                rabbitmq::as(rabbitmq::wire_type::u8, persistent));
}

std::expected<void, error> live_world::publish(const outgoing_view& message) {
    const auto where = rabbitmq::read_address(message.address);
    if (!where) {
        return std::unexpected(
            error{errc::publish, std::string{message.address}, where.error(), ""});
    }
    return admin_.publish(*where, message);
}

std::vector<std::string> live_world::reached_by(const outgoing_view& message) {
    const auto where = rabbitmq::read_address(message.address);
    if (!where) return {};
    if (where->is_queue()) {
        if (!admin_.look_at(where->key)) return {};
        return {where->key};
    }
    std::vector<std::string> reached;
    for (const auto& name : queues_) {
        const auto* declared = how_.find(name);
        rabbitmq::queue plain{name};
        if (declared == nullptr) bind_loosely(plain, name, how_);
        const auto& said = declared != nullptr ? declared->said() : plain.said();
        if (rabbitmq::routes_to(declared_, said, name, *where)) reached.push_back(name);
    }
    return reached;
}

void live_world::came_again(std::string_view what) {
    if (auto opened = admin_.open(to_come_again); !opened && trouble_.empty()) {
        trouble_ = std::string{what} + ": " + opened.error().message();
    }
}

void live_world::remove(std::string_view address, const visitor& visit) {
    const std::string name{address};
    admin_.drain(name, [&](std::span<const std::byte> packed) { visit(name, packed); });
    const auto wrong = control_.remove(name);
    if (!wrong.empty() && trouble_.empty()) trouble_ = wrong;
}

void live_world::restart() {
    const auto wrong = control_.restart();
    if (!wrong.empty() && trouble_.empty()) trouble_ = wrong;
    came_again("the server did not come again");
}

std::uint64_t live_world::ready_in(const std::string& queue) const {
    const auto there = admin_.look_at(queue);
    return there ? there->messages : 0;
}

std::map<std::string, std::uint64_t> live_world::queued() const {
    std::map<std::string, std::uint64_t> all;
    for (const auto& each : queues_) {
        if (const auto ready = ready_in(each)) all[each] = ready;
    }
    return all;
}

std::uint64_t live_world::waiting() const {
    std::uint64_t all = 0;
    for (const auto& each : waiting_queues_) all += ready_in(each);
    return all;
}

std::size_t live_world::drain_once(const visitor& visit) {
    std::size_t count = 0;
    const auto take = [&](const std::string& from, const std::string& as) {
        admin_.drain(from, [&](std::span<const std::byte> packed) {
            visit(as, packed);
            ++count;
        });
    };
    for (const auto& each : waiting_queues_) {
        const auto origin = origin_of(each, to_.vhost, addresses_);
        take(each, origin.empty() ? each : origin);
    }
    for (const auto& each : queues_) take(each, each);
    return count;
}

/// The server takes back what a connection had in hand when it sees its end, which nobody tells.
void live_world::drain(const visitor& visit) {
    const auto first = std::chrono::steady_clock::now() + to_take_back;
    do {
        std::this_thread::sleep_for(to_take_back / 4);
    } while (drain_once(visit) != 0 || std::chrono::steady_clock::now() < first);
}

}  // namespace waybill::scenario
