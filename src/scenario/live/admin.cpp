#include "scenario/live/admin.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace waybill::scenario {
namespace {

constexpr rabbitmq::channel_id looks = 1;
constexpr rabbitmq::channel_id publishes = 2;
constexpr rabbitmq::channel_id drains = 3;
constexpr std::chrono::seconds patience{20};

}  // namespace

/// What comes while something is waited for.
class admin::inbox final : public rabbitmq::wire_events {
public:
    struct message {
        std::vector<std::byte> headers;
        std::uint64_t tag = 0;
    };

    std::byte* begins(const rabbitmq::arrival& head) override {
        came.push_back({{head.packed_headers.begin(), head.packed_headers.end()}, head.tag});
        body_.resize(head.body_size + 1);
        return body_.data();
    }
    void arrived() override {}
    void returned(const rabbitmq::returned_message&) override {}
    void confirmed(rabbitmq::channel_id, std::uint64_t, bool, bool was_taken) override {
        taken = was_taken;
    }
    void cancelled(rabbitmq::channel_id, std::string_view) override {}
    void channel_closed(rabbitmq::channel_id, const rabbitmq::refusal& why) override {
        closed = why.text;
    }
    void blocked(std::string_view) override {}

    std::vector<message> came;
    std::optional<bool> taken;
    std::optional<std::string> closed;

private:
    std::vector<std::byte> body_;
};

std::expected<void, error> admin::open(std::chrono::seconds at_most) {
    const auto end = std::chrono::steady_clock::now() + at_most;
    for (;;) {
        auto done = open_once();
        if (done || done.error().code == errc::refused || std::chrono::steady_clock::now() > end) {
            return done;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{200});
    }
}

std::expected<void, error> admin::open_once() {
    wire_.reset();
    auto made = to_->open("waybill simulate");
    if (!made) return std::unexpected(std::move(made.error()));
    wire_ = std::move(*made);
    const auto channels = open_channels();
    if (channels) return {};
    return std::unexpected(error{errc::connection, "the runner's connection",
                                 "its three channels cannot be opened: " + channels.error().text,
                                 "channel_max of the URL must allow them, and the server be up"});
}

rabbitmq::wire::answer<void> admin::open_channels() {
    for (const auto each : {looks, publishes, drains}) {
        if (auto opened = wire_->open_channel(each); !opened) return opened;
    }
    return wire_->select_confirms(publishes);
}

std::expected<void, error> admin::publish(const rabbitmq::target& where,
                                          const outgoing_view& message) {
    const auto refused = [&](std::string why) {
        return std::unexpected(
            error{errc::publish, std::string{message.address}, std::move(why), ""});
    };
    rabbitmq::publication made;
    made.exchange = where.exchange;
    made.key = where.key;
    made.packed_headers = message.packed_headers;
    made.body = message.payload;
    made.mandatory = false;
    if (auto written = wire_->publish(publishes, made); !written) return written;
    inbox answer;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!answer.taken && !answer.closed && std::chrono::steady_clock::now() < end) {
        if (auto flushed = wire_->flush(); !flushed) return refused(flushed.error().text);
        const auto read = wire_->read(answer);
        if (!read) return refused(read.error().text);
        if (!*read) wire_->wait(std::chrono::milliseconds{100});
    }
    if (answer.closed) {
        (void)wire_->open_channel(publishes);
        (void)wire_->select_confirms(publishes);
        return refused(*answer.closed);
    }
    if (answer.taken != true) return refused("the server did not take it");
    return {};
}

std::optional<rabbitmq::queue_state> admin::look_at(const std::string& queue) {
    rabbitmq::queue_spec named;
    named.name = queue;
    auto seen = wire_->declare(looks, named, true);
    if (seen) return *seen;
    (void)wire_->open_channel(looks);
    return std::nullopt;
}

bool admin::has_exchange(const std::string& name) {
    rabbitmq::exchange_spec named;
    named.name = name;
    if (wire_->declare(looks, named, true)) return true;
    (void)wire_->open_channel(looks);
    return false;
}

void admin::remove(const std::string& queue) {
    if (!wire_->delete_queue(looks, queue, false, false)) (void)wire_->open_channel(looks);
}

void admin::drain(const std::string& queue,
                  const std::function<void(std::span<const std::byte>)>& visit) {
    const auto there = look_at(queue);
    if (!there || there->messages == 0) return;
    const std::size_t wanted = there->messages;
    if (!wire_->consume(drains, queue, "drains", false, {})) {
        (void)wire_->open_channel(drains);
        return;
    }
    inbox all;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (all.came.size() < wanted && !all.closed && std::chrono::steady_clock::now() < end) {
        const auto read = wire_->read(all);
        if (!read) break;
        if (!*read) wire_->wait(std::chrono::milliseconds{100});
    }
    for (const auto& each : all.came) visit(each.headers);
    if (!all.came.empty()) wire_->ack(drains, all.came.back().tag, true);
    (void)wire_->flush();
    (void)wire_->cancel(drains, "drains");
}

}  // namespace waybill::scenario
