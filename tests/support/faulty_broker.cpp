#include "faulty_broker.hpp"

#include <waybill/headers.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace support {

using waybill::known_header;
using waybill::detail::publish_status;
using waybill::detail::received;
using waybill::detail::settle_kind;
using waybill::detail::settle_op;

const char* name_of(step kind) noexcept {
    constexpr std::array names{"received",         "decoded",           "handling",  "answering",
                               "staged_sent",      "staged_taken",      "copy_sent", "copy_taken",
                               "dead_letter_sent", "dead_letter_taken", "settling",  "settled"};
    return names.at(static_cast<std::size_t>(kind));
}

const char* name_of(fault what) noexcept {
    constexpr std::array names{"none",   "refused",       "refused_thrice", "unroutable",
                               "failed", "failed_thrice", "lost",           "lost_but_taken",
                               "stale",  "stop",          "stop_at_limit",  "stop_untaken",
                               "kill"};
    static_assert(names.size() == fault_count);
    return names.at(static_cast<std::size_t>(what));
}

bool applies(fault what, step where) noexcept {
    switch (what) {
        case fault::none:
            return false;
        case fault::refused:
        case fault::unroutable:
        case fault::failed:
        case fault::lost:
            return where == step::staged_sent || where == step::copy_sent ||
                   where == step::dead_letter_sent;
        case fault::refused_thrice:
        case fault::failed_thrice:
            // Of what is staged each failure is the handler's.
            return where == step::copy_sent || where == step::dead_letter_sent;
        case fault::lost_but_taken:
            return where == step::staged_taken || where == step::copy_taken ||
                   where == step::dead_letter_taken;
        case fault::stale:
        case fault::stop:
        case fault::stop_at_limit:
        case fault::stop_untaken:
        case fault::kill:
            return true;
    }
    return false;
}

namespace {

sent_kind kind_of(const waybill::outgoing_view& message) {
    // By the address it would be plainer, but only what the runtime made has these.
    const auto with = waybill::headers::borrow(message.packed_headers);
    if (!with.find(known_header::copy)) return sent_kind::staged;
    return with.find(known_header::retry_source) ? sent_kind::copy : sent_kind::dead_letter;
}

step sent_step(sent_kind kind) {
    return kind == sent_kind::staged ? step::staged_sent
           : kind == sent_kind::copy ? step::copy_sent
                                     : step::dead_letter_sent;
}

step taken_step(sent_kind kind) {
    return kind == sent_kind::staged ? step::staged_taken
           : kind == sent_kind::copy ? step::copy_taken
                                     : step::dead_letter_taken;
}

/// What the app hears of a publish at which this goes wrong.
publish_status status_of(fault what) {
    switch (what) {
        case fault::refused:
        case fault::refused_thrice:
            return publish_status::refused;
        case fault::unroutable:
            return publish_status::unroutable;
        case fault::failed:
        case fault::failed_thrice:
            return publish_status::failed;
        case fault::lost:
        case fault::lost_but_taken:
        case fault::stale:
        case fault::kill:
            return publish_status::lost;
        case fault::none:
        case fault::stop:
        case fault::stop_at_limit:
        case fault::stop_untaken:
            return publish_status::confirmed;
    }
    return publish_status::confirmed;
}

}  // namespace

// ---- the course --------------------------------------------------------------------------------

/// A message between its publish and what the app hears of it. What it views stays valid until
/// then.
struct course::publishing final : waybill::detail::publish_ticket {
    publishing(course& of, sent_kind what, const waybill::outgoing_view& view,
               waybill::detail::publish_ticket* ticket)
        : run{of}, kind{what}, message{view}, to{ticket} {}

    /// The server behind confirms by itself later.
    void published(publish_status status) noexcept override {
        auto* ticket = to;
        const auto heard = run.answered(run.take_out(*this), status);
        if (heard != publish_status::pending) ticket->published(heard);
    }

    course& run;
    sent_kind kind;
    waybill::outgoing_view message;
    waybill::detail::publish_ticket* to;
};

course::course(step_ledger& book, confirmations how, obstacle planned, connections its)
    : ledger{book}, how_{how}, planned_{planned}, connections_{std::move(its)} {}
course::~course() = default;

void course::begin(std::function<void()> stop) {
    stop_ = std::move(stop);
    interrupted_by_ = fault::none;
    is_dead_ = false;
    at_once_ = false;
}

fault course::reach(step kind) {
    steps_.push_back(kind);
    const bool is_here = steps_.size() == planned_.at;
    if (trace) {
        say("step " + std::to_string(steps_.size()) + ": " + name_of(kind) +
            (is_here ? std::string{", where "} + name_of(planned_.what) + " happens" : ""));
    }
    if (!is_here) return fault::none;
    switch (planned_.what) {
        case fault::kill:
            is_dead_ = true;
            interrupted_by_ = fault::kill;
            [[fallthrough]];
        case fault::stale:
            ledger.fell(is_dead_);
            if (is_dead_ && connections_.admit) connections_.admit(false);
            connections_.drop();
            lose_confirmations();
            break;
        case fault::stop:
        case fault::stop_at_limit:
        case fault::stop_untaken:
            interrupted_by_ = planned_.what;
            ledger.stopping();
            stop_();
            break;
        case fault::refused_thrice:
        case fault::failed_thrice:
            again_ = 2;
            break;
        default:
            break;
    }
    return planned_.what;
}

fault course::reach_publish(sent_kind kind, const waybill::outgoing_view& message) {
    const bool again = again_ != 0 && kind != sent_kind::staged;
    if (again) --again_;
    const auto what = reach(sent_step(kind));
    const bool is_untaken = interrupted_by_ == fault::stop_untaken;
    if (is_untaken && ledger.waits_for(kind, message)) return fault::failed;
    return again ? planned_.what : what;
}

publish_status course::pass_on(waybill::detail::transport& to, sent_kind kind,
                               const waybill::outgoing_view& message,
                               waybill::detail::publish_ticket* ticket) {
    auto& sent = *sending_.emplace_back(std::make_unique<publishing>(*this, kind, message, ticket));
    const auto status = to.publish(message, ticket != nullptr ? &sent : nullptr);
    return status == publish_status::pending ? status : answered(take_out(sent), status);
}

std::unique_ptr<course::publishing> course::take_out(publishing& sent) {
    const auto at = std::ranges::find(sending_, &sent, &std::unique_ptr<publishing>::get);
    auto owner = std::move(*at);
    sending_.erase(at);
    return owner;
}

publish_status course::answered(std::unique_ptr<publishing> sent, publish_status status) {
    if (status != publish_status::confirmed) {
        ledger.told(sent->kind, sent->message, status);
        return status;
    }
    ledger.taken(sent->kind, sent->message);
    if (how_ == confirmations::at_once || at_once_ || sent->to == nullptr) return confirm(*sent);
    waiting_.push_back(std::move(sent));
    return publish_status::pending;
}

publish_status course::confirm(const publishing& sent) {
    const auto status = status_of(reach(taken_step(sent.kind)));
    ledger.told(sent.kind, sent.message, status);
    return status;
}

bool course::confirm_one() {
    if (waiting_.empty()) return false;
    auto sent = std::move(waiting_.front());
    waiting_.pop_front();
    sent->to->published(confirm(*sent));
    return true;
}

void course::confirm_unattended() {
    std::deque<std::unique_ptr<publishing>> attended;
    while (!waiting_.empty()) {
        auto sent = std::move(waiting_.front());
        waiting_.pop_front();
        if (ledger.waits_for(sent->kind, sent->message)) {
            attended.push_back(std::move(sent));
        } else {
            sent->to->published(confirm(*sent));
        }
    }
    waiting_ = std::move(attended);
}

void course::lose_confirmations() {
    while (!waiting_.empty()) {
        const auto sent = std::move(waiting_.front());
        waiting_.pop_front();
        ledger.told(sent->kind, sent->message, publish_status::lost);
        sent->to->published(publish_status::lost);
    }
}

// ---- the broker --------------------------------------------------------------------------------

namespace {

class faulty_consumer final : public waybill::detail::consumer {
public:
    faulty_consumer(std::unique_ptr<consumer> behind, course& run)
        : behind_{std::move(behind)}, run_{run} {}

    std::size_t take(std::span<received> room) override {
        if (run_.is_dead()) return 0;
        const auto count = behind_->take(room);
        if (count == 0) return 0;
        run_.ledger.took(room.first(count));
        run_.reach(step::received);
        return count;
    }
    [[nodiscard]] std::size_t available() const noexcept override {
        return run_.is_dead() ? 0 : behind_->available();
    }
    void settle(std::span<const settle_op> operations) override {
        if (!run_.is_dead()) run_.reach(step::settling);
        const auto now = behind_->generation();
        for (const auto& each : operations) run_.ledger.settled(each, each.generation != now);
        if (run_.is_dead()) return forget(operations);
        behind_->settle(operations);
        run_.reach(step::settled);
    }
    [[nodiscard]] std::uint64_t generation() const noexcept override {
        return behind_->generation();
    }
    void cancel() noexcept override { behind_->cancel(); }
    void widen(std::uint64_t generation, std::size_t to) noexcept override {
        behind_->widen(generation, to);
    }

private:
    /// What a dead process would settle is stale: only the memory is given back.
    void forget(std::span<const settle_op> operations) {
        std::vector<settle_op> nothing{operations.begin(), operations.end()};
        for (auto& each : nothing) each.kind = settle_kind::nothing;
        behind_->settle(nothing);
    }

    std::unique_ptr<consumer> behind_;
    course& run_;
};

}  // namespace

class faulty_transport final : public waybill::detail::transport {
public:
    faulty_transport(std::unique_ptr<transport> behind, course& run)
        : behind_{std::move(behind)}, run_{run} {}

    std::expected<std::unique_ptr<waybill::detail::consumer>, waybill::error> consume(
        const waybill::source& from, std::string_view reader,
        waybill::detail::consumer_listener& listener) override {
        auto made = behind_->consume(from, reader, listener);
        if (!made) return made;
        return std::make_unique<faulty_consumer>(std::move(*made), run_);
    }
    std::expected<void, waybill::error> declare(std::string_view address,
                                                const waybill::source& like) override {
        return behind_->declare(address, like);
    }
    void expect_waits(const waybill::source& of, const waybill::backoff& delays) override {
        behind_->expect_waits(of, delays);
    }
    [[nodiscard]] std::optional<waybill::detail::capabilities> capabilities_of(
        const waybill::source& from) const override {
        return behind_->capabilities_of(from);
    }
    [[nodiscard]] std::optional<waybill::error> explain(std::string_view address,
                                                        publish_status status) const override {
        return behind_->explain(address, status);
    }
    [[nodiscard]] std::string trouble(std::chrono::nanoseconds now) const override {
        return behind_->trouble(now);
    }
    void try_now() noexcept override { behind_->try_now(); }
    publish_status publish(const waybill::outgoing_view& message,
                           waybill::detail::publish_ticket* ticket) override {
        if (run_.is_dead()) return publish_status::lost;
        const auto kind = kind_of(message);
        const auto status = status_of(run_.reach_publish(kind, message));
        if (status == publish_status::confirmed) {
            return run_.pass_on(*behind_, kind, message, ticket);
        }
        run_.ledger.told(kind, message, status);
        return status;
    }
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_due() const override {
        return run_.is_dead() ? std::nullopt : behind_->next_due();
    }
    std::size_t tick(std::chrono::nanoseconds now, std::size_t limit) override {
        return run_.is_dead() ? 0 : behind_->tick(now, limit);
    }
    void close() noexcept override {
        run_.lose_confirmations();
        behind_->close();
    }

private:
    std::unique_ptr<transport> behind_;
    course& run_;
};

std::expected<std::unique_ptr<waybill::detail::transport>, waybill::error> faulty_broker::connect(
    waybill::detail::transport_host& host) const {
    auto made = behind_->connect(host);
    if (!made || run_ == nullptr) return made;
    return std::make_unique<faulty_transport>(std::move(*made), *run_);
}

}  // namespace support
