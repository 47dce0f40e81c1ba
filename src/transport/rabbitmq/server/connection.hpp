/// A client's connection: the wire as the client has it, the channels as the server has them.
///
/// What the client calls takes effect at once, and what the server sends lies here until the client
/// reads it. A connection that fell says so to whatever comes after.
#pragma once

#include "transport/rabbitmq/server/channel.hpp"
#include "transport/rabbitmq/server/publishing.hpp"
#include "transport/rabbitmq/server/server.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/byte_buffer.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace waybill::rabbitmq::fake {

class connection final : public wire, public mailbox {
public:
    connection(std::shared_ptr<fake::server> at, vhost& in, server_facts facts, std::string name,
               std::shared_ptr<listener> told);
    ~connection() override;

    [[nodiscard]] const server_facts& server() const noexcept override { return facts_; }

    answer<void> open_channel(channel_id id) override;
    answer<void> close_channel(channel_id id) override;
    answer<void> select_confirms(channel_id id) override;
    answer<void> prefetch(channel_id id, std::uint16_t count) override;
    answer<queue_state> declare(channel_id id, const queue_spec& what, bool passive) override;
    answer<void> declare(channel_id id, const exchange_spec& what, bool passive) override;
    answer<void> bind_queue(channel_id id, std::string_view queue, std::string_view exchange,
                            std::string_view key, const headers& arguments) override;
    answer<void> bind_exchange(channel_id id, std::string_view to, std::string_view from,
                               std::string_view key, const headers& arguments) override;
    answer<std::uint32_t> delete_queue(channel_id id, std::string_view name, bool if_unused,
                                       bool if_empty) override;
    answer<void> consume(channel_id id, std::string_view queue, std::string_view tag,
                         bool exclusive, const headers& arguments) override;
    answer<void> cancel(channel_id id, std::string_view tag) override;

    std::expected<void, error> publish(channel_id id, const publication& what) override;
    void ack(channel_id id, std::uint64_t tag, bool multiple) override;
    void nack(channel_id id, std::uint64_t tag, bool multiple, bool requeue) override;
    void reject(channel_id id, std::uint64_t tag, bool requeue) override;

    answer<void> flush() override;
    answer<bool> read(wire_events& to) override;
    void wait(std::optional<std::chrono::nanoseconds> at_most) override;
    void wake() noexcept override;
    void close() noexcept override;

    // ---- for the server, in a turn. @{
    void post(news::any what) override;
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] vhost& in() const noexcept { return in_; }
    /// From now on it is gone. The channels are the caller's to end.
    std::vector<std::unique_ptr<channel>> fall(const refusal& why);
    /// Whether it is read at all. @{
    void unblocked();
    /// @}
    /// @}

private:
    using turn = fake::server::turn;

    void note(std::string line) { server_->trace(name_, std::move(line)); }
    channel* find(channel_id id) const;
    /// The channel for a method that is not answered; null where it is to be ignored.
    channel* for_method(channel_id id);
    template <class F>
    auto ask(channel_id id, std::string line, F&& act) -> decltype(act(std::declval<channel&>()));
    void later_or_now(std::function<void()> act);

    void publish_now(channel_id id, incoming what);
    void finish_publish(channel& on, std::uint64_t tag, bool taken);
    void settle_now(channel_id id, std::uint64_t tag, bool multiple,
                    const std::function<void(unsettled_message&)>& act);

    void close_by_server(channel& one, const refusal& why);
    void fall_alone(const refusal& why);
    void end(channel_id id);
    refusal taken_closure(channel_id id);
    void forget_news_of(channel_id id);
    static void tell(wire_events& to, const news::any& what);

    std::shared_ptr<fake::server> server_;
    vhost& in_;
    server_facts facts_;
    std::string name_;
    std::shared_ptr<listener> told_;
    std::map<channel_id, std::unique_ptr<channel>> channels_;
    std::deque<news::any> news_;
    std::deque<news::any> batch_;  ///< what `read` is handing out; the client's thread's
    std::optional<refusal> fallen_;
    byte_buffer written_;  ///< what is published, to see whether the protocol can hold it
    bool is_blocked_ = false;
    std::deque<std::function<void()>> unread_;  ///< what came since it is blocked
    std::condition_variable arrived_;
    bool woken_ = false;
};

}  // namespace waybill::rabbitmq::fake
