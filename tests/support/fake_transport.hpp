/// A transport and a consumer that answer as a test tells them and write down, in one trace and in
/// order, what they were asked. For one thread.
#pragma once

#include <waybill/detail/transport.hpp>
#include <waybill/headers.hpp>
#include <waybill/outcome.hpp>

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace support {

using waybill::detail::publish_status;
using waybill::detail::settle_kind;

inline const char* name_of(publish_status status) {
    switch (status) {
        case publish_status::confirmed:
            return "confirmed";
        case publish_status::pending:
            return "pending";
        case publish_status::failed:
            return "failed";
        case publish_status::unroutable:
            return "unroutable";
        case publish_status::refused:
            return "refused";
        case publish_status::lost:
            return "lost";
    }
    return "?";
}

inline const char* name_of(settle_kind kind) {
    switch (kind) {
        case settle_kind::accept:
            return "accept";
        case settle_kind::requeue:
            return "requeue";
        case settle_kind::release:
            return "release";
        case settle_kind::reject:
            return "reject";
        case settle_kind::leave:
            return "leave";
        case settle_kind::nothing:
            return "nothing";
    }
    return "?";
}

using trace = std::vector<std::string>;

/// What was published, as it was at the time.
struct sent_message {
    std::string address;
    std::string payload;
    waybill::headers with;
    std::chrono::nanoseconds delay{0};
    waybill::detail::publish_ticket* ticket = nullptr;
};

class fake_consumer final : public waybill::detail::consumer {
public:
    explicit fake_consumer(trace& into) : trace_{into} {}

    std::size_t take(std::span<waybill::detail::received>) override { return 0; }
    [[nodiscard]] std::size_t available() const noexcept override { return 0; }
    /// "accept 1": the token is the number of the delivery.
    void settle(std::span<const waybill::detail::settle_op> operations) override {
        for (const auto& each : operations) {
            auto line = std::string{name_of(each.kind)} + ' ' +
                        std::to_string(*static_cast<const int*>(each.token));
            if (each.delay.count() != 0) line += " after " + waybill::to_text(each.delay);
            trace_.push_back(std::move(line));
        }
    }
    [[nodiscard]] std::uint64_t generation() const noexcept override { return generation_; }
    void cancel() noexcept override {}

    void reconnect() { ++generation_; }

private:
    trace& trace_;
    std::uint64_t generation_ = 1;
};

class fake_transport final : public waybill::detail::transport {
public:
    explicit fake_transport(trace& into) : trace_{into} {}

    /// The answers to the next publishes, in order; afterwards everything is confirmed.
    void answers(std::initializer_list<publish_status> next) { answers_.assign(next); }
    /// What every further publish is answered when the list is used up.
    void answers_always(publish_status status) { standard_ = status; }
    /// Ends a pending publish.
    void conclude(std::size_t at, publish_status status) {
        trace_.push_back(std::string{name_of(status)} + ' ' + sent.at(at).address);
        std::exchange(sent.at(at).ticket, nullptr)->published(status);
    }

    std::expected<std::unique_ptr<waybill::detail::consumer>, waybill::error> consume(
        const waybill::source&, std::string_view, waybill::detail::consumer_listener&) override {
        return std::make_unique<fake_consumer>(trace_);
    }
    std::expected<void, waybill::error> declare(std::string_view, const waybill::source&) override {
        return {};
    }
    publish_status publish(const waybill::outgoing_view& message,
                           waybill::detail::publish_ticket* ticket) override {
        auto status = standard_;
        if (!answers_.empty()) {
            status = answers_.front();
            answers_.pop_front();
        }
        sent.push_back(
            {std::string{message.address},
             {reinterpret_cast<const char*>(message.payload.data()), message.payload.size()},
             waybill::headers::copy_of(message.packed_headers),
             message.delay,
             status == publish_status::pending ? ticket : nullptr});
        trace_.push_back("publish " + sent.back().address + ": " + name_of(status));
        return status;
    }
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_due() const override { return {}; }
    std::size_t tick(std::chrono::nanoseconds, std::size_t) override { return 0; }
    void close() noexcept override {}

    std::vector<sent_message> sent;

private:
    trace& trace_;
    std::deque<publish_status> answers_;
    publish_status standard_ = publish_status::confirmed;
};

}  // namespace support
