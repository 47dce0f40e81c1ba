#include "transport/rabbitmq/data.hpp"
#include <waybill/outcome.hpp>

#include <algorithm>
#include <array>

namespace waybill::rabbitmq {
namespace {

constexpr std::size_t longest_name = 255;  // a short string of the protocol
/// What the server keeps such times in.
constexpr std::int64_t longest_milliseconds = 0xffff'ffffLL;

constexpr std::array every_type{queue_type::classic, queue_type::quorum, queue_type::stream};

void check_name(std::vector<std::string>& mistakes, std::string_view what, std::string_view name) {
    if (name.empty()) mistakes.push_back(std::string{what} + " needs a name");
    if (name.size() > longest_name) {
        mistakes.push_back(std::string{what} + "'s name is longer than 255 bytes");
    }
}

/// In whole milliseconds, rounded up; 0 with a mistake.
std::int64_t milliseconds_of(std::vector<std::string>& mistakes, std::string_view what,
                             std::chrono::nanoseconds span, std::int64_t least) {
    const auto count = std::chrono::ceil<std::chrono::milliseconds>(span).count();
    if (count >= least && count <= longest_milliseconds) return count;
    mistakes.push_back(std::string{what} + " is " + to_text(span) + "; the server takes " +
                       std::to_string(least) + " to 4294967295 ms");
    return 0;
}

void check_number(std::vector<std::string>& mistakes, std::string_view what, std::uint64_t number) {
    if (number <= INT64_MAX) return;
    mistakes.push_back(std::string{what} + " is above what the server takes");
}

/// For queues and exchanges alike.
template <class Data>
void set_argument(Data& of, std::string_view name, const header_value& value) {
    if (name.empty() || name.size() > longest_name) {
        of.mistakes.emplace_back("an argument's name has 1 to 255 bytes");
        return;
    }
    of.spec.arguments.set(name, value);
}

/// What an argument says that the transport goes by.
void understand(queue::data& of, std::string_view name, const header_value& value) {
    if (name == "x-queue-type") {
        const auto* const found = std::ranges::find_if(
            every_type, [&](queue_type each) { return value.text() == name_of(each); });
        if (found != std::end(every_type)) {
            of.kind = *found;
        } else {
            of.mistakes.emplace_back("x-queue-type is none of classic, quorum and stream");
        }
    } else if (name == "x-delivery-limit") {
        // Below 0 it is none, which is 0 here; one of 0 is met by the first return.
        const auto limit = value.integer().value_or(0);
        of.delivery_limit =
            limit < 0 ? 0U
                      : static_cast<std::uint32_t>(std::clamp<std::int64_t>(limit, 1, UINT32_MAX));
    } else if (name == "x-dead-letter-exchange") {
        of.has_dead_letter = true;
    } else if (name == "x-single-active-consumer") {
        of.single_active = value.boolean().value_or(false);
    }
}

}  // namespace

queue::queue(std::string name) {
    auto made = std::make_shared<data>();
    check_name(made->mistakes, "a queue", name);
    made->spec.name = std::move(name);
    // Without it the server takes what the virtual host has for a default.
    made->spec.arguments.append("x-queue-type", name_of(made->kind));
    data_ = std::move(made);
}

queue::data& queue::change() { return own_copy(data_); }

queue& queue::type(queue_type kind) {
    auto& to = change();
    to.kind = kind;
    to.spec.arguments.set("x-queue-type", name_of(kind));
    return *this;
}

queue& queue::transient() {
    change().spec.durable = false;
    return *this;
}

queue& queue::exclusive() {
    change().spec.exclusive = true;
    return *this;
}

queue& queue::auto_delete() {
    change().spec.auto_delete = true;
    return *this;
}

queue& queue::argument(std::string_view name, header_value value) {
    auto& to = change();
    set_argument(to, name, value);
    understand(to, name, value);
    return *this;
}

queue& queue::max_length(std::uint64_t messages) {
    check_number(change().mistakes, "max_length", messages);
    return argument("x-max-length", static_cast<std::int64_t>(messages));
}

queue& queue::max_length_bytes(std::uint64_t bytes) {
    check_number(change().mistakes, "max_length_bytes", bytes);
    return argument("x-max-length-bytes", static_cast<std::int64_t>(bytes));
}

queue& queue::when_full(overflow what) {
    return argument("x-overflow", what == overflow::drop_head ? "drop-head" : "reject-publish");
}

queue& queue::message_ttl(std::chrono::nanoseconds span) {
    const auto count = milliseconds_of(change().mistakes, "message_ttl", span, 0);
    if (span.count() > 0 && span < std::chrono::milliseconds{1}) {
        change().mistakes.push_back("message_ttl is " + to_text(span) +
                                    "; the server counts in ms");
    }
    return argument("x-message-ttl", count);
}

queue& queue::expires(std::chrono::nanoseconds span) {
    const auto count = milliseconds_of(change().mistakes, "expires", span, 1);
    return argument("x-expires", count);
}

queue& queue::server_dead_letter(std::string_view exchange, std::string_view key) {
    argument("x-dead-letter-exchange", exchange);
    if (!key.empty()) argument("x-dead-letter-routing-key", key);
    return *this;
}

queue& queue::single_active_consumer() { return argument("x-single-active-consumer", true); }

queue& queue::delivery_limit(std::uint32_t failures) {
    return argument("x-delivery-limit",
                    failures == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(failures));
}

queue& queue::bind(std::string from, std::string key, const headers& arguments) {
    auto& to = change();
    check_name(to.mistakes, "a binding's exchange", from);
    if (key.size() > longest_name) to.mistakes.push_back("a key is longer than 255 bytes");
    to.bindings.push_back({std::move(from), std::move(key), arguments});
    return *this;
}

queue& queue::passive() {
    change().there = presence::passive;
    return *this;
}

queue& queue::declared_elsewhere() {
    change().there = presence::elsewhere;
    return *this;
}

queue& queue::prefetch(std::uint16_t count) {
    auto& to = change();
    if (count == 0) to.mistakes.push_back("a prefetch of 0 would be no limit; at least 1");
    to.prefetch = count;
    return *this;
}

queue& queue::exclusive_consumer() {
    change().exclusive_consumer = true;
    return *this;
}

queue& queue::keep_deaths() {
    change().keeps_deaths = true;
    return *this;
}

queue::operator source() const { return {"rabbitmq", data_->spec.name, false, false, data_}; }

const queue::data& said_of(const source& from) {
    if (const auto* said = dynamic_cast<const queue::data*>(from.details.get())) return *said;
    static const queue nothing_said{"?"};
    return nothing_said.said();
}

exchange::exchange(std::string name, std::string type) {
    auto made = std::make_shared<data>();
    check_name(made->mistakes, "an exchange", name);
    check_name(made->mistakes, "an exchange's type", type);
    made->spec.name = std::move(name);
    made->spec.type = std::move(type);
    data_ = std::move(made);
}

exchange::data& exchange::change() { return own_copy(data_); }

exchange& exchange::transient() {
    change().spec.durable = false;
    return *this;
}

exchange& exchange::auto_delete() {
    change().spec.auto_delete = true;
    return *this;
}

exchange& exchange::internal() {
    change().spec.internal = true;
    return *this;
}

exchange& exchange::alternate(std::string_view other) {
    return argument("alternate-exchange", other);
}

exchange& exchange::argument(std::string_view name, header_value value) {
    set_argument(change(), name, value);
    return *this;
}

exchange& exchange::bind(std::string from, std::string key, const waybill::headers& arguments) {
    auto& to = change();
    check_name(to.mistakes, "a binding's exchange", from);
    to.bindings.push_back({std::move(from), std::move(key), arguments});
    return *this;
}

exchange& exchange::passive() {
    change().there = presence::passive;
    return *this;
}

const queue::data* broker::data::queue_named(std::string_view name) const noexcept {
    for (const auto& each : queues) {
        if (each.said().spec.name == name) return &each.said();
    }
    return nullptr;
}

}  // namespace waybill::rabbitmq
