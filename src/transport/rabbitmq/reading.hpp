/// What the reading connection is for: a channel for each subscription.
///
/// Guarantee: a channel that the server closed, or a consumer that it cancelled, is taken up again
/// with growing pauses; the others on the connection go on meanwhile.
#pragma once

#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/declaring.hpp"
#include "transport/rabbitmq/keeper.hpp"
#include "transport/rabbitmq/reader.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace waybill::rabbitmq {

class reading final : public job {
public:
    reading(std::shared_ptr<const broker::data> about, detail::transport_host& host,
            std::string broker);

    // ---- on the connection's thread (`keeper::ask`). @{
    /// The channel of the reader that is added next; what cannot be added leaves it free.
    [[nodiscard]] channel_id next_channel() const noexcept;
    /// Opens it and keeps it open from then on. Its channel is the next one.
    std::expected<void, error> add(wire& on, const std::shared_ptr<reader>& made);
    /// @}
    /// Why a subscription reads nothing now, for a person. Any thread.
    [[nodiscard]] std::string trouble() const;

    std::expected<void, error> opened(wire& on) override;
    void lost(const refusal& why) override;
    void work(wire& on) override;
    [[nodiscard]] bool has_work() const noexcept override;
    void was_read() override;
    void closes(wire& on) override;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> due() const override;

    std::byte* begins(const arrival& head) override;
    void arrived() override;
    void returned(const returned_message&) override {}
    void confirmed(channel_id, std::uint64_t, bool, bool) override {}
    void cancelled(channel_id channel, std::string_view consumer) override;
    void channel_closed(channel_id channel, const refusal& why) override;
    void blocked(std::string_view) override {}

private:
    struct place {
        std::shared_ptr<reader> at;
        std::chrono::nanoseconds next_try{0};
        unsigned tries = 0;
        bool is_down = false;  ///< and to be opened again
        bool ends = false;     ///< the server ended the connection when it was opened last
        bool closes = false;   ///< cancelled by the server: its channel is closed first
        std::string why;
    };

    place* place_of(channel_id channel) noexcept;
    static std::expected<void, error> check(wire& on, const queue::data& what);
    std::expected<void, error> open(wire& on, place& which);
    [[nodiscard]] bool would_be_charged(const wire& on, const place& which) const;
    void close_cancelled(wire& on, place& which);
    /// No lock is held while the host is told: who writes its lines may ask for health. @{
    void went_down(place& which, std::string why);
    void stays_down(place& which, std::string why);
    void reads_again(place& which);
    /// @}
    void take_up_again(wire& on);

    std::shared_ptr<const broker::data> about_;
    detail::transport_host& host_;
    std::shared_ptr<clock> time_;
    const std::string broker_;
    std::vector<place> places_;  ///< changed on the connection's thread, under the lock
    harmful harmful_;
    bool was_open_ = false;
    reader* arriving_ = nullptr;
    bool any_down_ = false;
    mutable std::mutex mutex_;
};

}  // namespace waybill::rabbitmq
