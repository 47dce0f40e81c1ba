/// A broker between an app and a real one (of any transport) that numbers each step of a message
/// across the contract and lets one thing go wrong at one of them.
///
/// What goes wrong is done by this layer, on the app's side: the server behind it is healthy. The
/// one thing it cannot do alone is to let a connection fall; whoever tests a transport says how.
/// For one thread.
#pragma once

#include "step_ledger.hpp"
#include <waybill/detail/transport.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace support {

/// Where a message is on its way. `..._sent`: before the server has seen it; `..._taken`: the
/// server has it and the app has yet to hear of that.
enum class step : std::uint8_t {
    received,
    decoded,
    handling,
    answering,  ///< a settlement is used, outside of the handler
    staged_sent,
    staged_taken,
    copy_sent,
    copy_taken,
    dead_letter_sent,
    dead_letter_taken,
    settling,
    settled,
};
const char* name_of(step kind) noexcept;

enum class fault : std::uint8_t {
    none,
    refused,         ///< the server will never take it
    refused_thrice,  ///< nor what takes its place, nor that the next time
    unroutable,      ///< nobody took it
    failed,          ///< it was not taken this time
    failed_thrice,   ///< nor the two times after
    lost,            ///< no confirmation came, and the server does not have it
    lost_but_taken,  ///< no confirmation came, and the server has it
    stale,           ///< the connection falls and comes back
    stop,            ///< the app is asked to stop, and has all the time it needs
    stop_at_limit,   ///< the same, and its limit is reached at once
    stop_untaken,    ///< the same as `stop`, and no publish for what is in hand is taken any more
    kill,            ///< the process ends here
};
const char* name_of(fault what) noexcept;
inline constexpr std::uint8_t fault_count = 13;

/// Whether this can go wrong there.
bool applies(fault what, step where) noexcept;

/// When the server's confirmations reach the app.
enum class confirmations : std::uint8_t { at_once, later };

/// One run: counts the steps, and knows what is to go wrong at which.
class course {
public:
    struct obstacle {
        std::size_t at = 0;  ///< the first step is 1; 0: nothing goes wrong
        fault what = fault::none;
    };

    /// What this layer cannot do alone: see tried_server.
    struct connections {
        std::function<void()> drop;
        std::function<void(bool lets_in)> admit;
    };

    course(step_ledger& book, confirmations how, obstacle planned, connections its);
    ~course();
    course(const course&) = delete;
    course& operator=(const course&) = delete;

    /// Counts a step, and lets happen what is planned for it. What concerns a publish alone
    /// (`refused` to `lost_but_taken`) is left to the caller.
    fault reach(step kind);
    /// The same for a publish.
    fault reach_publish(sent_kind kind, const waybill::outgoing_view& message);
    /// The process has ended: nothing that it still does has an effect.
    [[nodiscard]] bool is_dead() const noexcept { return is_dead_; }
    /// It was killed, or asked to stop.
    [[nodiscard]] fault interrupted_by() const noexcept { return interrupted_by_; }
    [[nodiscard]] const std::vector<step>& steps() const noexcept { return steps_; }

    /// A process begins; `stop` is how it is asked to stop.
    void begin(std::function<void()> stop);

    /// Tells the app of one publish whose confirmation is on its way; false when there is none.
    bool confirm_one();
    /// The same for all that no delivery waits for: the store of delays sent them, and a stop
    /// waits for those whatever its limit.
    void confirm_unattended();
    /// From now on, until the next process begins, confirmations come at once.
    void confirm_at_once() noexcept { at_once_ = true; }

    /// What is being written down, for a person who looks at one run.
    std::function<void(const std::string&)> trace;
    void say(const std::string& line) const {
        if (trace) trace(line);
    }

    step_ledger& ledger;

private:
    friend class faulty_transport;
    struct publishing;

    /// Publishes to the server behind, and answers what the app shall hear.
    waybill::detail::publish_status pass_on(waybill::detail::transport& to, sent_kind kind,
                                            const waybill::outgoing_view& message,
                                            waybill::detail::publish_ticket* ticket);
    std::unique_ptr<publishing> take_out(publishing& sent);
    /// The server has answered. `pending`: the app hears of it later.
    waybill::detail::publish_status answered(std::unique_ptr<publishing> sent,
                                             waybill::detail::publish_status status);
    waybill::detail::publish_status confirm(const publishing& sent);
    void tell(std::unique_ptr<publishing> sent, waybill::detail::publish_status status);
    void lose_confirmations();

    confirmations how_;
    obstacle planned_;
    connections connections_;
    std::function<void()> stop_;
    std::vector<step> steps_;
    std::vector<std::unique_ptr<publishing>> sending_;  ///< the server has yet to answer
    std::deque<std::unique_ptr<publishing>> waiting_;   ///< the app has yet to hear of it
    fault interrupted_by_ = fault::none;
    std::size_t again_ = 0;  ///< how many further publishes meet the same
    bool is_dead_ = false;
    bool at_once_ = false;
};

/// What `app.broker(...)` takes: the same as the broker behind it, but for what goes wrong.
class faulty_broker final : public waybill::detail::broker_config {
public:
    /// Without a course nothing is counted and nothing goes wrong.
    explicit faulty_broker(std::shared_ptr<const waybill::detail::broker_config> behind,
                           course* run = nullptr)
        : behind_{std::move(behind)}, run_{run} {}

    [[nodiscard]] std::string_view transport_name() const noexcept override {
        return behind_->transport_name();
    }
    [[nodiscard]] std::string describe() const override { return behind_->describe(); }
    [[nodiscard]] waybill::detail::capabilities capabilities_of(
        const waybill::source& from) const override {
        return behind_->capabilities_of(from);
    }
    [[nodiscard]] std::optional<waybill::error> check_address(
        std::string_view address) const override {
        return behind_->check_address(address);
    }
    [[nodiscard]] std::optional<waybill::error> check_source(
        const waybill::source& from) const override {
        return behind_->check_source(from);
    }
    [[nodiscard]] std::vector<waybill::error> problems() const override {
        return behind_->problems();
    }
    [[nodiscard]] bool reads(const waybill::source& from, std::string_view address) const override {
        return behind_->reads(from, address);
    }
    [[nodiscard]] std::expected<std::unique_ptr<waybill::detail::transport>, waybill::error>
    connect(waybill::detail::transport_host& host) const override;

private:
    std::shared_ptr<const waybill::detail::broker_config> behind_;
    course* run_;
};

}  // namespace support
