#include "wiring/check.hpp"

#include "wiring/app_core.hpp"
#include "wiring/facts.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

namespace waybill::wiring {
namespace {

using detail::app_core;
using detail::resolved_subscription;

constexpr std::int64_t most_attempts = 1'000'000'000;
constexpr std::int64_t most_lanes = 100'000;
constexpr std::int64_t most_threads = 4096;

/// What to do when a codec cannot read or write the type.
std::string other_codec(const value_type& type) {
    if (type.kind == value_kind::opaque)
        return "name a codec(...) that can: own_codec<" + std::string{type.name} + ">(...)";
    return "name a codec(...) that can, for example codecs::json() or codecs::cbor()";
}

/// Empty, or with something in it that no log line and no header should hold.
bool is_no_name(std::string_view name) {
    return name.empty() || std::ranges::any_of(name, [](char letter) {
               return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
           });
}

/// Looks at one app and collects what it finds.
class checker {
public:
    explicit checker(const app_core& core) : core_{core}, all_{core.resolve()} {}

    std::vector<error> run() {
        check_app();
        check_brokers();
        check_names();
        for (const auto& each : all_) check_subscription(each);
        check_rings();
        return std::move(problems_);
    }

private:
    void add(std::string where, std::string what, std::string fix) {
        problems_.push_back({errc::wiring, std::move(where), std::move(what), std::move(fix)});
    }
    void add(const resolved_subscription& at, std::string what, std::string fix) {
        add("subscription " + at.name, std::move(what), std::move(fix));
    }
    [[nodiscard]] const detail::broker_config& config_of(const resolved_subscription& at) const {
        return *core_.plans[at.broker]->config;
    }

    void check_app();
    void check_brokers();
    void check_names();
    void check_subscription(const resolved_subscription& at);
    void check_source(const resolved_subscription& at);
    void check_limits(const resolved_subscription& at);
    void check_policies(const resolved_subscription& at);
    void check_address(const resolved_subscription& at, const std::string& role,
                       const std::string& address);
    void check_codec(const resolved_subscription& at);
    void check_outputs(const resolved_subscription& at);
    void check_routes(const resolved_subscription& at);
    void check_states(const resolved_subscription& at);
    void check_delays(const resolved_subscription& at);
    void check_rings();
    void follow(std::size_t from, std::vector<std::size_t>& path, std::set<std::size_t>& done);

    const app_core& core_;
    std::vector<resolved_subscription> all_;
    std::vector<error> problems_;
};

void checker::check_brokers() {
    for (const auto& each : core_.plans) {
        for (auto& problem : each->config->problems()) problems_.push_back(std::move(problem));
    }
}

void checker::check_app() {
    const auto& settings = *core_.settings;
    const auto where = "app " + settings.name;
    if (is_no_name(settings.name)) {
        add(where, "the app's name is empty or has control characters in it",
            "give it a name of its own: readers of a topic are told apart by it");
    }
    if (!settings.count_header.empty() && is_no_name(settings.count_header)) {
        add(where, "retry_count_header(...) has control characters in it", "give a plain name");
    }
    if (settings.workers_declared && (settings.workers < 1 || settings.workers > most_threads)) {
        add(where, "workers(" + std::to_string(settings.workers) + ") is no number of threads",
            "give 1 to 4096, or leave it out for a thread for each lane");
    }
    if (settings.stop_limit < std::chrono::nanoseconds{0}) {
        add(where, "the stop limit is below zero", "give a duration of zero or more");
    }
    if (known_header_named(settings.count_header) != known_header::none) {
        add(where,
            "retry_count_header(\"" + settings.count_header +
                "\") is another header of "
                "the runtime's own",
            "name a header that does not begin with waybill-");
    }
    if (!settings.time) add(where, "the clock is null", "name one, for example real_clock()");
    if (!settings.format) add(where, "the codec is null", "name one, for example codecs::json()");
    for (std::size_t at = 0; at < core_.makers.size(); ++at) {
        for (std::size_t other = 0; other < at; ++other) {
            if (core_.makers[at].type != core_.makers[other].type) continue;
            add(where, "on_startup makes " + std::string{core_.makers[at].name} + " more than once",
                "make each type of state once");
        }
    }
}

void checker::check_names() {
    std::map<std::string, std::size_t> count;
    for (const auto& each : all_) ++count[each.name];
    for (const auto& [name, times] : count) {
        if (times == 1) continue;
        add("subscription " + name, std::to_string(times) + " subscriptions have this name",
            "give each one a name(...) of its own");
    }
}

void checker::check_subscription(const resolved_subscription& at) {
    if (at.plan->handler.invoke == nullptr) {
        add(at, "its handler is empty: a null function pointer or a std::function without a target",
            "give subscribe(...) a function to call");
    }
    check_source(at);
    check_limits(at);
    check_policies(at);
    check_codec(at);
    check_outputs(at);
    check_routes(at);
    check_states(at);
    check_delays(at);
}

void checker::check_source(const resolved_subscription& at) {
    const auto& config = config_of(at);
    const auto& from = at.plan->declared.from;
    if (from.transport != config.transport_name()) {
        return add(at,
                   "its source is made for the transport " + from.transport +
                       ", but its broker is " + config.describe(),
                   "subscribe on a broker of that transport");
    }
    if (auto problem = config.check_source(from)) {
        add(at, "the source \"" + from.name + "\" cannot be read: " + problem->what, problem->fix);
    }
}

void checker::check_limits(const resolved_subscription& at) {
    const auto& declared = at.plan->declared;
    if (declared.max_attempts &&
        (*declared.max_attempts < 1 || *declared.max_attempts > most_attempts)) {
        add(at,
            "max_attempts(" + std::to_string(*declared.max_attempts) +
                ") cannot be: the first delivery counts too",
            "give 1 or more, or leave it out for no cap");
    }
    if (declared.max_redeliveries &&
        (*declared.max_redeliveries < 1 || *declared.max_redeliveries > most_attempts)) {
        add(at, "max_redeliveries(" + std::to_string(*declared.max_redeliveries) + ") cannot be",
            "give 1 or more");
    }
    if (declared.concurrency < 1 || declared.concurrency > most_lanes) {
        add(at, "concurrency(" + std::to_string(declared.concurrency) + ") is no number of lanes",
            "give 1 to 100000");
    }
    if (declared.runs_inline && declared.concurrency > 1) {
        add(at,
            "inline_handler() runs on the one thread that reads, and concurrency(" +
                std::to_string(declared.concurrency) + ") asks for more lanes",
            "leave one of the two out");
    }
    if (declared.record_budget < 0 || declared.record_budget > (1 << 20)) {
        add(at, "dead_letter_budget(" + std::to_string(declared.record_budget) + ") cannot be",
            "give 0 to 1048576 bytes");
    }
    if (std::ranges::any_of(declared.formerly, is_no_name)) {
        add(at, "formerly(...) names no reader", "give the identity that the copies carry");
    }
    if (auto problem = declared.retry_delay.problem(); !problem.empty()) {
        add(at, std::move(problem), "correct retry_backoff(...)");
    }
}

void checker::check_policies(const resolved_subscription& at) {
    const auto& declared = at.plan->declared;
    if (declared.dead_letter) check_address(at, "dead_letter", *declared.dead_letter);
    if (declared.retry_to) check_address(at, "retry_to", *declared.retry_to);
    if (declared.reply_to) check_address(at, "reply_to", *declared.reply_to);
    if (declared.dead_letter) return;
    if (declared.on_exception.is_dead_letter()) {
        add(at, "on_exception says dead letter, and there is none",
            "add dead_letter(\"...\") or choose an outcome");
    }
    if (declared.on_undecodable && declared.on_undecodable->is_dead_letter()) {
        add(at, "on_undecodable says dead letter, and there is none",
            "add dead_letter(\"...\") or choose an outcome");
    }
}

void checker::check_address(const resolved_subscription& at, const std::string& role,
                            const std::string& address) {
    if (auto problem = config_of(at).check_address(address)) {
        add(at, role + "(\"" + address + "\") is nothing to publish to: " + problem->what,
            problem->fix);
    }
}

void checker::check_codec(const resolved_subscription& at) {
    const auto* decodes = at.plan->handler.decodes;
    if (decodes == nullptr || !at.format || at.format->supports(*decodes)) return;
    add(at,
        "the codec " + std::string{at.format->name()} + " cannot decode " +
            std::string{decodes->name},
        other_codec(*decodes));
}

void checker::check_outputs(const resolved_subscription& at) {
    for (std::size_t index = 0; index < at.outputs.size(); ++index) {
        const auto& output = at.outputs[index];
        const auto type = std::string{output.type->name};
        const bool replies = at.plan->handler.outputs[index].is_reply;
        if (output.address.empty()) {
            add(at,
                std::string{replies ? "its reply" : "what it publishes,"} + " " + type +
                    " has no address",
                (replies ? std::string{"declare reply_to(\"...\")"}
                         : "declare publish_to<" + type + ">(\"...\")") +
                    ", or give " + type + " a static constexpr std::string_view address");
        } else if (!replies || !at.plan->declared.reply_to) {
            check_address(at, "the address of " + type, output.address);
        }
        if (output.format && !output.format->supports(*output.type)) {
            add(at, "the codec " + std::string{output.format->name()} + " cannot encode " + type,
                other_codec(*output.type));
        }
    }
}

/// An address that is declared for what the handler never publishes is a mistake that nothing else
/// would show.
void checker::check_routes(const resolved_subscription& at) {
    const auto& outputs = at.plan->handler.outputs;
    for (const auto& route : at.plan->routes) {
        if (std::ranges::find(outputs, route.type, &detail::output_spec::type) != outputs.end()) {
            continue;
        }
        const auto type = std::string{route.type->name};
        add(at,
            "publish_to<" + type + ">(\"" + route.address + "\") is declared, and its handler " +
                "publishes no " + type,
            "let the handler take out<" + type + ">, or leave publish_to out");
    }
    const bool replies = std::ranges::any_of(outputs, &detail::output_spec::is_reply);
    if (at.plan->declared.reply_to && !replies) {
        add(at,
            "reply_to(\"" + *at.plan->declared.reply_to +
                "\") is declared, and its handler returns no reply<T>",
            "return a waybill::reply<T>, or leave reply_to out");
    }
}

void checker::check_states(const resolved_subscription& at) {
    for (const auto& wanted : at.plan->handler.states) {
        const bool made = std::ranges::any_of(
            core_.makers, [&](const auto& maker) { return maker.type == wanted.type; });
        if (made) continue;
        add(at, "its handler takes state<" + std::string{wanted.name} + ">, and nothing makes one",
            "add app.on_startup([] { return " + std::string{wanted.name} + "{...}; })");
    }
}

void checker::check_delays(const resolved_subscription& at) {
    const auto& said = at.plan->declared;
    if (rules_of(said, config_of(at).capabilities_of(said.from)).has_fixed_wait &&
        !said.retry_delay.empty()) {
        add(at,
            "retry_backoff(...) is declared, and what goes to " + *said.retry_to +
                " waits as long as that says",
            "leave retry_backoff(...) out, or the retry queue of others");
    }
    if (!core_.settings->requires_durable_delays) return;
    const auto can = config_of(at).capabilities_of(at.plan->declared.from);
    if (facts_of(at.plan->declared, can).kill_loses == "nothing") return;
    add(at, "a kill of the process would lose what waits, and the app requires durable delays",
        "use a broker that keeps delays, or leave require_durable_delays() out");
}

/// A message must not go round: a dead letter that its own source reads, or that comes back over
/// the dead letters of others.
void checker::check_rings() {
    std::set<std::size_t> done;
    for (std::size_t at = 0; at < all_.size(); ++at) {
        std::vector<std::size_t> path;
        follow(at, path, done);
    }
}

void checker::follow(std::size_t from, std::vector<std::size_t>& path,
                     std::set<std::size_t>& done) {
    if (const auto begin = std::ranges::find(path, from); begin != path.end()) {
        const auto& first = all_[from];
        if (path.end() - begin == 1) {
            return add(first,
                       "its own source \"" + first.plan->declared.from.name +
                           "\" reads its dead letter \"" + *first.plan->declared.dead_letter +
                           "\": a spent message would come back for ever",
                       "send the dead letter to an address that the source does not read");
        }
        std::string ring;
        for (auto at = begin; at != path.end(); ++at) ring += all_[*at].name + " -> ";
        return add(first, "its dead letter comes back to it: " + ring + first.name,
                   "let one of them end at an address that none of them reads");
    }
    if (done.contains(from)) return;
    path.push_back(from);
    const auto& sender = all_[from];
    if (sender.plan->declared.dead_letter) {
        for (std::size_t to = 0; to < all_.size(); ++to) {
            if (!config_of(all_[to]).is_same_server(config_of(sender))) continue;
            const auto& reads = all_[to].plan->declared.from;
            if (config_of(sender).reads(reads, *sender.plan->declared.dead_letter)) {
                follow(to, path, done);
            }
        }
    }
    path.pop_back();
    done.insert(from);
}

}  // namespace

std::vector<error> check(const app_core& core) { return checker{core}.run(); }

int report(const std::vector<error>& problems) {
    const bool wiring =
        std::ranges::all_of(problems, [](const auto& each) { return each.code == errc::wiring; });
    for (const auto& each : problems) std::cerr << "  " << each.message() << '\n';
    if (problems.size() == 1) {
        std::cerr << "1 problem.\n";
    } else {
        std::cerr << problems.size() << " problems.\n";
    }
    return wiring ? 2 : 1;
}

}  // namespace waybill::wiring
