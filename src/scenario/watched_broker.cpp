#include "scenario/watched_broker.hpp"

#include <list>
#include <unordered_map>
#include <vector>

namespace waybill::scenario {

using detail::publish_status;
using detail::publish_ticket;
using detail::received;
using detail::settle_kind;
using detail::settle_op;

namespace {

class watched_consumer final : public detail::consumer {
public:
    watched_consumer(std::unique_ptr<consumer> behind, std::size_t subscription, observer& by)
        : behind_{std::move(behind)}, subscription_{subscription}, by_{by} {}

    std::size_t take(std::span<received> room) override {
        if (is_cut()) return 0;
        const auto count = take_ours(room);
        for (auto& each : room.first(count)) {
            std::vector<std::byte> apart;
            by_.took(subscription_, each, apart);
            if (!apart.empty()) apart_[each.token] = std::move(apart);
        }
        return count;
    }
    [[nodiscard]] std::size_t available() const noexcept override {
        return is_cut() ? 0 : behind_->available();
    }
    void settle(std::span<const settle_op> operations) override {
        const auto now = behind_->generation();
        std::vector<settle_op> passed{operations.begin(), operations.end()};
        for (auto& each : passed) {
            by_.passed(each, each.generation != now);
            // What a dead process says is not heard: only the memory is given back.
            if (by_.is_dead()) each.kind = settle_kind::nothing;
        }
        behind_->settle(passed);
        for (const auto& each : passed) apart_.erase(each.token);
    }
    [[nodiscard]] std::uint64_t generation() const noexcept override {
        return behind_->generation();
    }
    void cancel() noexcept override { behind_->cancel(); }
    void widen(std::uint64_t generation, std::size_t to) noexcept override {
        behind_->widen(generation, to);
    }

private:
    std::size_t take_ours(std::span<received> room) {
        for (;;) {
            const auto count = behind_->take(room);
            std::size_t ours = 0;
            std::vector<settle_op> done;
            for (const auto& each : room.first(count)) {
                if (by_.passes_over(each)) {
                    done.push_back({each.token, each.generation});
                } else {
                    room[ours++] = each;
                }
            }
            if (!done.empty()) behind_->settle(done);
            if (ours != 0 || count == 0) return ours;
        }
    }
    [[nodiscard]] bool is_cut() const noexcept { return by_.is_dead() || !by_.is_reachable(); }

    std::unique_ptr<consumer> behind_;
    std::size_t subscription_;
    observer& by_;
    /// Headers of deliveries in hand that had to be put together anew.
    std::unordered_map<void*, std::vector<std::byte>> apart_;
};

class watched_transport final : public detail::transport {
public:
    watched_transport(std::unique_ptr<transport> behind, observer& by)
        : behind_{std::move(behind)}, by_{by} {}

    std::expected<std::unique_ptr<detail::consumer>, error> consume(
        const source& from, std::string_view reader, detail::consumer_listener& listener) override {
        by_.reads(consumers_, from, reader);
        auto made = behind_->consume(from, reader, listener);
        if (!made) return made;
        return std::make_unique<watched_consumer>(std::move(*made), consumers_++, by_);
    }
    std::expected<void, error> declare(std::string_view address, const source& like) override {
        return behind_->declare(address, like);
    }
    void expect_waits(const source& of, const backoff& delays) override {
        behind_->expect_waits(of, delays);
    }
    [[nodiscard]] std::optional<detail::capabilities> capabilities_of(
        const source& from) const override {
        return behind_->capabilities_of(from);
    }
    [[nodiscard]] std::string waits_in(const outgoing_view& message) const override {
        return behind_->waits_in(message);
    }
    publish_status publish(const outgoing_view& message, publish_ticket* ticket) override {
        if (by_.is_dead()) return publish_status::lost;
        auto& sent = sending_.emplace_back(*this, message, ticket);
        sent.place = std::prev(sending_.end());
        auto status = publish_status::failed;
        if (by_.is_reachable() && !sent.what.fails) {
            auto tagged = message;
            tagged.packed_headers = sent.what.tagged;
            status = behind_->publish(tagged, ticket != nullptr ? &sent : nullptr);
        }
        if (status != publish_status::pending) sent.end(status);
        return status;
    }
    [[nodiscard]] std::optional<error> explain(std::string_view address,
                                               publish_status status) const override {
        return behind_->explain(address, status);
    }
    [[nodiscard]] std::string trouble(nanoseconds now) const override {
        return behind_->trouble(now);
    }
    /// The runner drives the server itself, whether a service runs or not; connections are opened
    /// again by the service.
    [[nodiscard]] std::optional<nanoseconds> next_due() const override {
        return by_.is_remote() ? behind_->next_due() : std::nullopt;
    }
    std::size_t tick(nanoseconds now, std::size_t limit) override {
        return by_.is_remote() ? behind_->tick(now, limit) : 0;
    }
    void try_now() noexcept override { behind_->try_now(); }
    void close() noexcept override {
        by_.closes();
        behind_->close();
    }

private:
    /// A publish that the server has not answered.
    struct sending final : publish_ticket {
        sending(watched_transport& of, const outgoing_view& view, publish_ticket* ticket)
            : owner{of},
              message{view},
              what{of.by_.sending_now(view, of.behind_->waits_in(view))},
              to{ticket} {}

        void published(publish_status status) noexcept override {
            auto* ticket = to;
            const bool is_heard = !owner.by_.is_dead();
            end(status);
            ticket->published(is_heard ? status : publish_status::lost);
        }
        [[nodiscard]] bool blocks() const noexcept override { return to->blocks(); }
        void end(publish_status status) {
            owner.by_.sending_ended(what, message, status);
            owner.sending_.erase(place);
        }

        watched_transport& owner;
        outgoing_view message;
        observer::sent what;
        publish_ticket* to;
        std::list<sending>::iterator place;
    };

    std::unique_ptr<transport> behind_;
    observer& by_;
    std::size_t consumers_ = 0;
    std::list<sending> sending_;
};

}  // namespace

std::expected<std::unique_ptr<detail::transport>, error> watched_broker::connect(
    detail::transport_host& host) const {
    auto made = behind_->connect(host);
    if (!made) return made;
    return std::make_unique<watched_transport>(std::move(*made), *by_);
}

}  // namespace waybill::scenario
