/// A service's connections to one server: one that reads, one that publishes.
#pragma once

#include "transport/rabbitmq/data.hpp"
#include "transport/rabbitmq/outgoing.hpp"
#include "transport/rabbitmq/publishing.hpp"
#include "transport/rabbitmq/reading.hpp"
#include "transport/rabbitmq/waits.hpp"
#include <waybill/detail/transport.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace waybill::rabbitmq {

/// Threads as `detail::transport` says. Everything that a call hands over is copied.
class connection final : public detail::transport {
public:
    connection(std::shared_ptr<const broker::data> about, std::unique_ptr<connector> to,
               detail::transport_host& host, std::string described);
    ~connection() override;

    /// Connects both and declares what the broker was told to.
    std::expected<void, error> open();

    std::expected<std::unique_ptr<detail::consumer>, error> consume(
        const source& from, std::string_view identity,
        detail::consumer_listener& listener) override;
    std::expected<void, error> declare(std::string_view address, const source& like) override;
    void expect_waits(const source& of, const backoff& delays) override;
    [[nodiscard]] std::optional<detail::capabilities> capabilities_of(
        const source& from) const override;
    detail::publish_status publish(const outgoing_view& message,
                                   detail::publish_ticket* ticket) override;
    [[nodiscard]] std::optional<error> explain(std::string_view address,
                                               detail::publish_status status) const override;
    [[nodiscard]] std::string waits_in(const outgoing_view& message) const override;
    [[nodiscard]] std::string trouble(std::chrono::nanoseconds now) const override;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_due() const override;
    std::size_t tick(std::chrono::nanoseconds now, std::size_t limit) override;
    void try_now() noexcept override;
    void close() noexcept override;

private:
    struct known_queue {
        queue_type waits_in = queue_type::quorum;
        std::vector<milliseconds> waits;  ///< delays that come again and again
    };

    [[nodiscard]] std::chrono::nanoseconds wall_now() const;
    std::expected<void, error> fill(rabbitmq::publish& to, const outgoing_view& message);
    known_queue known(const target& where) const;
    detail::publish_status by_hand(rabbitmq::publish& what);

    std::shared_ptr<const broker::data> about_;
    std::unique_ptr<connector> to_;
    detail::transport_host& host_;
    std::shared_ptr<clock> time_;
    const std::string described_;
    publishing publishing_;
    reading reading_;
    keeper publisher_;
    keeper reader_;
    mutable std::mutex mutex_;
    std::map<std::string, known_queue, std::less<>> known_;
    sender self_;
    std::atomic<bool> closed_{false};
};

}  // namespace waybill::rabbitmq
