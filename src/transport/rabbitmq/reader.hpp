/// One subscription's reading end: a channel of the reading connection with its consumers.
///
/// Guarantee: after a start and every reconnect the server hands over one delivery, until `widen`
/// says that more may be in hand; but the whole window at once where the consumer must not end for
/// that, since its queue may delete itself then. Settlements of an older channel are no-ops. What
/// lanes settle is sent by the connection's thread, many in one frame where they may be.
///
/// `take`, `settle`, `widen` and `cancel` come on any thread; what is under "the connection's
/// thread" on that alone.
#pragma once

#include "transport/rabbitmq/acks.hpp"
#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/message.hpp"
#include "transport/rabbitmq/wire.hpp"
#include <waybill/detail/transport.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace waybill::rabbitmq {

/// What is constant for a reader.
struct reader_facts {
    std::shared_ptr<const rabbitmq::queue::data> said;
    std::string name;  ///< of the queue
    channel_id channel = 0;
    std::uint16_t prefetch = 1;
};

class reader final : public detail::consumer {
public:
    reader(reader_facts facts, detail::consumer_listener& listener, std::shared_ptr<clock> time,
           std::function<void()> poke);
    ~reader() override = default;

    /// The listener is not called any more when this returns. Any thread.
    void forget_listener() noexcept;
    std::size_t take(std::span<detail::received> room) override;
    [[nodiscard]] std::size_t available() const noexcept override { return available_; }
    void settle(std::span<const detail::settle_op> operations) override;
    [[nodiscard]] std::uint64_t generation() const noexcept override { return generation_; }
    void cancel() noexcept override;
    void widen(std::uint64_t generation, std::size_t to) noexcept override;

    // ---- the connection's thread. @{
    [[nodiscard]] const reader_facts& facts() const noexcept { return facts_; }
    /// Opens the channel and begins to read; a refusal leaves no channel behind. Once cancelled it
    /// does neither.
    wire::answer<void> open(wire& on, std::expected<void, error>& why);
    /// The channel or the connection is gone: everything in hand is stale.
    void gone();
    /// A refusal: the channel is gone, or the connection.
    wire::answer<void> work(wire& on);
    [[nodiscard]] bool has_work() const noexcept { return has_work_; }
    [[nodiscard]] bool is_open() const noexcept { return is_open_; }

    std::byte* begins(const arrival& head);
    void arrived();
    /// Before the connection is closed: the consumers end, and then everything in hand goes back
    /// as what nobody has looked at. @{
    void end_reading(wire& on);
    void give_back_all(wire& on);
    /// @}
    /// After `gone`, while the server still has the channel: its consumers end, and what the server
    /// holds to be in hand goes back as what nobody has looked at. A refusal: the channel is gone.
    wire::answer<void> give_back_after_gone(wire& on);
    /// Hands over what has arrived since the last call.
    void hand_over();
    /// @}

private:
    struct list {
        message* first = nullptr;
        message** last = &first;
        std::size_t count = 0;

        void push(message* what) noexcept;
        message* pop() noexcept;
    };

    void settle_one(wire& on, const detail::settle_op& operation);
    void give_back_untaken(wire& on);
    wire::answer<void> begin_reading(wire& on, std::uint16_t prefetch);
    wire::answer<void> widen_now(wire& on, std::size_t to);
    [[nodiscard]] std::size_t within_prefetch(std::size_t window) const noexcept;
    wire::answer<void> end_consumers(wire& on);
    void fill(message& to, const arrival& head);

    const reader_facts facts_;
    std::mutex listener_mutex_;
    detail::consumer_listener* listener_;
    std::shared_ptr<clock> time_;
    std::function<void()> poke_;

    mutable std::mutex mutex_;
    list ready_;  // guarded, as all up to here
    std::vector<detail::settle_op> settled_;
    std::size_t wanted_window_ = 1;
    bool wants_window_ = false;  ///< it was said since the last look
    bool wants_cancel_ = false;
    bool is_cancelled_ = false;

    std::atomic<std::size_t> available_{0};
    std::atomic<std::uint64_t> generation_{1};
    std::atomic<bool> has_work_{false};

    // the connection's thread
    message_pool pool_;
    list arrived_;
    message* arriving_ = nullptr;
    acks acks_;
    std::vector<detail::settle_op> settling_;
    std::vector<std::string> tags_;
    std::string address_;
    std::uint64_t next_tag_number_ = 0;
    std::uint16_t window_ = 0;  ///< of the consumers together
    /// Where one took the place of another: its first delivery, and how many before are in hand.
    /// Those count against no window. @{
    std::uint64_t first_of_this_ = 0;
    std::size_t of_earlier_ = 0;
    /// @}
    bool is_open_ = false;
    bool counts_failures_ = false;  ///< the server, and nothing else
};

}  // namespace waybill::rabbitmq
