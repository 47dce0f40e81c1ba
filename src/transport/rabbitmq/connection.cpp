#include "transport/rabbitmq/connection.hpp"

#include "time/saturating.hpp"
#include "transport/rabbitmq/outgoing.hpp"
#include "transport/rabbitmq/profile.hpp"
#include "transport/rabbitmq/topology.hpp"
#include "transport/rabbitmq/waits.hpp"
#include <waybill/backoff.hpp>
#include <waybill/clock.hpp>

#include <algorithm>

namespace waybill::rabbitmq {

using detail::publish_status;
using std::chrono::nanoseconds;

namespace {

/// Keeps the reader while the subscription has it.
class reading_end final : public detail::consumer {
public:
    explicit reading_end(std::shared_ptr<reader> at) : at_{std::move(at)} {}
    ~reading_end() override { at_->forget_listener(); }

    std::size_t take(std::span<detail::received> room) override { return at_->take(room); }
    [[nodiscard]] std::size_t available() const noexcept override { return at_->available(); }
    void settle(std::span<const detail::settle_op> operations) override { at_->settle(operations); }
    [[nodiscard]] std::uint64_t generation() const noexcept override { return at_->generation(); }
    void cancel() noexcept override { at_->cancel(); }
    void widen(std::uint64_t generation, std::size_t to) noexcept override {
        at_->widen(generation, to);
    }

private:
    std::shared_ptr<reader> at_;
};

std::string connection_name(const broker::data& about, const detail::transport_host& host,
                            std::string_view role) {
    auto name = about.name.empty() ? std::string{host.app_name()} : about.name;
    return name.append(" (").append(role).append(")");
}

std::uint16_t window_for(const queue::data& said, std::size_t lanes) {
    if (said.prefetch != 0) return said.prefetch;
    return static_cast<std::uint16_t>(std::clamp<std::size_t>(4 * lanes, 16, 256));
}

}  // namespace

connection::connection(std::shared_ptr<const broker::data> about, std::unique_ptr<connector> to,
                       detail::transport_host& host, std::string described)
    : about_{std::move(about)},
      to_{std::move(to)},
      host_{host},
      time_{host.time()},
      described_{std::move(described)},
      publishing_{about_, host, described_},
      reading_{about_, host, described_},
      publisher_{*to_, publishing_, host, connection_name(*about_, host, "publishes"), described_},
      reader_{*to_, reading_, host, connection_name(*about_, host, "reads"), described_} {
    for (const auto& each : about_->queues) {
        known_[each.said().spec.name].waits_in = type_of_waits(each.said().spec);
    }
    if (host.is_driven_by_hand()) {
        to_->on_news([this] {
            publisher_.run_to_rest();
            reader_.run_to_rest();
        });
    }
}

connection::~connection() { connection::close(); }

std::expected<void, error> connection::open() {
    if (auto done = publisher_.start(); !done) return done;
    const auto told = publisher_.server();
    self_ = {told.user, told.frame_max};
    return reader_.start();
}

std::expected<std::unique_ptr<detail::consumer>, error> connection::consume(
    const source& from, std::string_view, detail::consumer_listener& listener) {
    const auto* said = dynamic_cast<const queue::data*>(from.details.get());
    reader_facts facts;
    facts.said = said != nullptr ? std::shared_ptr<const queue::data>{from.details, said}
                                 : std::make_shared<const queue::data>(queue{from.name}.said());
    facts.name = from.name;
    facts.prefetch = window_for(*facts.said, listener.lanes());
    {
        const std::lock_guard lock{mutex_};
        known_[from.name].waits_in = type_of_waits(facts.said->spec);
    }
    std::shared_ptr<reader> made;
    auto opened = reader_.ask([&](wire& on) {
        facts.channel = reading_.next_channel();
        made =
            std::make_shared<reader>(std::move(facts), listener, time_, [this] { reader_.poke(); });
        return reading_.add(on, made);
    });
    if (!opened) return std::unexpected(std::move(opened.error()));
    return std::make_unique<reading_end>(made);
}

std::expected<void, error> connection::declare(std::string_view address, const source& like) {
    const auto where = read_address(address);
    if (!where) {
        return std::unexpected(
            error{errc::argument, std::string{address}, where.error(), "name a queue"});
    }
    const auto kind = said_of(like).kind;
    return publisher_.ask([&](wire& on) { return publishing_.keep_dead_letter(on, *where, kind); });
}

void connection::expect_waits(const source& of, const backoff& delays) {
    constexpr std::uint32_t most = 64;
    const std::lock_guard lock{mutex_};
    auto& waits = known_[of.name].waits;
    for (std::uint32_t attempt = 1; attempt <= most && !delays.empty(); ++attempt) {
        const auto delay = delays.after(attempt);
        const auto whole = std::chrono::ceil<milliseconds>(delay);
        if (whole == delay && std::ranges::find(waits, whole) == waits.end()) {
            waits.push_back(whole);
        }
    }
}

std::optional<detail::capabilities> connection::capabilities_of(const source& from) const {
    return capabilities_for(said_of(from), about_->delays,
                            read_version(publisher_.server().version));
}

connection::known_queue connection::known(const target& where) const {
    if (!where.is_queue()) return {};
    const std::lock_guard lock{mutex_};
    const auto at = known_.find(where.key);
    return at == known_.end() ? known_queue{} : at->second;
}

publish_status connection::publish(const outgoing_view& message, detail::publish_ticket* ticket) {
    if (closed_.load(std::memory_order_relaxed)) return publish_status::lost;
    auto& made = *publishing_.spare();
    made.ticket = ticket;
    if (auto done = fill(made, message); !done) {
        explain_to(ticket, std::move(done.error()));
        publishing_.discard(made);
        return publish_status::refused;
    }
    // A ticket may be gone once it has been told.
    const bool blocks = host_.is_driven_by_hand() && ticket != nullptr && ticket->blocks();
    // It may have been closed meanwhile.
    if (!publishing_.submit(made)) {
        publishing_.discard(made);
        return publish_status::lost;
    }
    publisher_.poke();
    return blocks ? by_hand(made) : publish_status::pending;
}

/// Nobody else would end it while the caller waits.
publish_status connection::by_hand(rabbitmq::publish& what) {
    if (!publishing_.withdraw(what)) return publish_status::pending;
    return publisher_.is_open() ? publish_status::failed : publish_status::lost;
}

/// Never before the moment that it is: the wall clock tells whole milliseconds, and no wait may end
/// early for that. Time that is moved by hand is exact.
nanoseconds connection::wall_now() const {
    using std::chrono::milliseconds;
    const auto cut_off =
        host_.is_driven_by_hand() ? time_->now() % milliseconds{1} : milliseconds{1};
    return time_->wall() + cut_off;
}

/// The error: the server could never take it.
std::expected<void, error> connection::fill(rabbitmq::publish& to, const outgoing_view& message) {
    to.waits = milliseconds{0};
    if (is_plain_queue(message.address) && message.delay <= message.delay.zero()) [[likely]] {
        return fill_message(to, {"", message.address}, message, {}, self_);
    }
    auto where = read_address(message.address);
    if (!where) {
        return std::unexpected(
            error{errc::argument, "", where.error(), "name a queue, or an exchange and a key"});
    }
    if (message.delay <= message.delay.zero()) {
        return fill_message(to, {where->exchange, where->key}, message, {}, self_);
    }
    const auto at = known(*where);
    const auto [first, left] = first_stretch(message.delay, at.waits);
    const auto due =
        left > left.zero() ? saturating_add(wall_now(), message.delay) : nanoseconds{0};
    if (first == first.zero()) {
        return fill_message(to, {where->exchange, where->key}, message, due, self_);
    }
    to.waits = first;
    to.kind = at.waits_in;
    const auto name = waiting_queue_name(first, at.waits_in, about_->connection->vhost,
                                         write_address(where->exchange, where->key));
    to.back_to = std::move(*where);
    return fill_message(to, {"", name}, message, due, self_);
}

std::string connection::waits_in(const outgoing_view& message) const {
    const auto where = read_address(message.address);
    if (!where || message.delay <= message.delay.zero()) return {};
    const auto at = known(*where);
    const auto [first, left] = first_stretch(message.delay, at.waits);
    if (first == first.zero()) return {};
    return waiting_queue_name(first, at.waits_in, about_->connection->vhost,
                              write_address(where->exchange, where->key));
}

std::optional<error> connection::explain(std::string_view address, publish_status status) const {
    const std::string where{address};
    switch (status) {
        case publish_status::unroutable:
            return error{errc::unroutable, where, "no queue took the message",
                         "declare the queue, or bind one to the exchange"};
        default:
            return std::nullopt;
    }
}

std::string connection::trouble(nanoseconds now) const {
    std::string all;
    for (const auto& each : {publisher_.trouble(now), reader_.trouble(now), publishing_.trouble(),
                             reading_.trouble()}) {
        if (each.empty()) continue;
        if (!all.empty()) all += "; ";
        all += each;
    }
    return all;
}

/// By hand only: with threads of their own the connections wait by themselves.
std::optional<nanoseconds> connection::next_due() const {
    if (!host_.is_driven_by_hand() || closed_) return std::nullopt;
    auto first = to_->next_due();
    for (const auto& each : {publisher_.due(), reader_.due()}) {
        if (each && (!first || *each < *first)) first = each;
    }
    return first;
}

std::size_t connection::tick(nanoseconds now, std::size_t limit) {
    const auto is_due = [&](const auto& due) { return due && *due <= now; };
    const bool retries = is_due(publisher_.due()) || is_due(reader_.due());
    if (retries) {
        publisher_.run_to_rest();
        reader_.run_to_rest();
    }
    return to_->tick(now, limit) + (retries ? 1 : 0);
}

void connection::try_now() noexcept {
    publisher_.try_now();
    reader_.try_now();
}

void connection::close() noexcept {
    if (closed_.exchange(true)) return;
    // Before the first is waited for: each would try its hosts to the last.
    publisher_.open_no_more();
    reader_.open_no_more();
    to_->give_up();
    reader_.end();
    publisher_.end();
    publishing_.end_all();
}

}  // namespace waybill::rabbitmq
