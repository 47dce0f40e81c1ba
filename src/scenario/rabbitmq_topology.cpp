#include "scenario/rabbitmq_topology.hpp"

#include "scenario/mistakes.hpp"
#include "scenario/rabbitmq_values.hpp"
#include "transport/rabbitmq/data.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace waybill::scenario {
namespace {

headers read_arguments(fields& from) {
    headers made;
    const auto at = from.take("arguments");
    if (!at) return made;
    at->map([&](const std::string& name, const entry& each) {
        const auto done = append_amqp(made, name, each.is());
        if (!done) each.wrong(done.error());
    });
    return made;
}

/// What the transport must know of a queue is said in its own words, not as an argument.
bool is_said_otherwise(rabbitmq::queue& to, const header& argument, const headers& all) {
    if (argument.name == "x-dead-letter-exchange") {
        const auto key = all.text("x-dead-letter-routing-key").value_or("");
        to.server_dead_letter(argument.value.text().value_or(""), key);
    } else if (argument.name == "x-delivery-limit") {
        const auto limit = argument.value.integer().value_or(-1);
        const auto most = std::int64_t{std::numeric_limits<std::uint32_t>::max()};
        to.delivery_limit(limit < 0 ? 0 : static_cast<std::uint32_t>(std::min(limit, most)));
    } else if (argument.name == "x-single-active-consumer" && argument.value.boolean() == true) {
        to.single_active_consumer();
    } else {
        return false;
    }
    return true;
}

void read_queue(fields& from, rabbitmq_options& into) {
    const auto name = from.need("name");
    rabbitmq::queue made{name ? name->text().value_or("") : ""};
    const auto type = from.choice("type", {"classic", "quorum", "stream"});
    made.type(static_cast<rabbitmq::queue_type>(type.value_or(0)));
    const auto arguments = read_arguments(from);
    for (const auto& each : arguments) {
        if (each.name == "x-queue-type") {
            from.wrong(R"("x-queue-type" is said by "type")");
        } else if (!is_said_otherwise(made, each, arguments)) {
            made.argument(each.name, each.value);
        }
    }
    if (into.find(made.said().spec.name) != nullptr) {
        from.wrong("the queue " + quoted(made.said().spec.name) + " stands here twice");
    }
    into.queues.push_back(std::move(made));
}

void read_exchange(fields& from, rabbitmq_options& into) {
    const auto name = from.need("name");
    const auto type = from.text("type").value_or("direct");
    rabbitmq::exchange made{name ? name->text().value_or("") : "", type};
    for (const auto& each : read_arguments(from)) made.argument(each.name, each.value);
    into.exchanges.push_back(std::move(made));
}

template <class All>
auto* named(All& all, std::string_view name) {
    const auto found =
        std::ranges::find_if(all, [&](const auto& each) { return each.said().spec.name == name; });
    return found == all.end() ? nullptr : &*found;
}

void read_binding(fields& from, rabbitmq_options& into) {
    const auto exchange = from.need("exchange");
    loose_binding made;
    made.exchange = exchange ? exchange->text().value_or("") : "";
    made.key = from.text("key").value_or("");
    made.arguments = read_arguments(from);
    const auto queue = from.text("queue");
    const auto other = from.text("to_exchange");
    if (queue.has_value() == other.has_value()) {
        return from.wrong(R"(a binding leads to a "queue" or to an exchange, "to_exchange")");
    }
    if (other) {
        auto* to = named(into.exchanges, *other);
        if (to == nullptr) return from.wrong("there is no exchange " + quoted(*other) + " here");
        to->bind(made.exchange, made.key, made.arguments);
        return;
    }
    made.queue = *queue;
    if (auto* to = named(into.queues, *queue)) {
        to->bind(made.exchange, made.key, made.arguments);
    } else {
        into.bindings.push_back(std::move(made));
    }
}

void read_each(fields& from, std::string_view name, rabbitmq_options& into,
               void (*read)(fields&, rabbitmq_options&)) {
    const auto all = from.take(name);
    if (!all) return;
    all->list([&](const entry& each) { each.object([&](fields& one) { read(one, into); }); });
}

}  // namespace

const rabbitmq::queue* rabbitmq_options::find(std::string_view queue) const noexcept {
    return named(queues, queue);
}

std::string version_text(rabbitmq::version_number version) {
    return std::to_string(version.major) + '.' + std::to_string(version.minor);
}

void read_topology(const entry& from, rabbitmq_options& into) {
    from.object([&](fields& one) {
        read_each(one, "exchanges", into, read_exchange);
        read_each(one, "queues", into, read_queue);
        read_each(one, "bindings", into, read_binding);
    });
    if (const auto* members = from.is().members()) into.topology = *members;
}

std::string read_exchange_key(fields& from) {
    const auto exchange = from.need("exchange");
    const auto key = from.text("key").value_or("");
    return rabbitmq::exchange_key(exchange ? exchange->text().value_or("") : "", key);
}

void bind_loosely(rabbitmq::queue& what, std::string_view name, const rabbitmq_options& how) {
    for (const auto& each : how.bindings) {
        if (each.queue == name) what.bind(each.exchange, each.key, each.arguments);
    }
}

}  // namespace waybill::scenario
