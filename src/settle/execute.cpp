#include "settle/execute.hpp"

#include "time/saturating.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace waybill::settle {

using detail::publish_status;
using detail::settle_kind;
using std::chrono::nanoseconds;

namespace {

constexpr nanoseconds first_repeat = std::chrono::milliseconds{100};
constexpr nanoseconds longest_repeat = std::chrono::seconds{30};
/// What the server will never take is parked: tried again this often, in case its limits change.
constexpr nanoseconds parked_repeat = std::chrono::minutes{1};

nanoseconds pause_before_repeat(unsigned tries) {
    return std::min<nanoseconds>(first_repeat * (1LL << std::min(tries, 10U)), longest_repeat);
}

const char* in_words(publish_status status) {
    switch (status) {
        case publish_status::confirmed:
            return "was confirmed";
        case publish_status::pending:
            return "is not confirmed yet";
        case publish_status::failed:
            return "was not taken by the broker";
        case publish_status::unroutable:
            return "was taken by no queue or subscriber";
        case publish_status::refused:
            return "was refused by the broker";
        case publish_status::lost:
            return "was not confirmed before the connection fell";
    }
    return "failed";
}

/// Takes an element out of a vector of owners, wherever it stands.
template <class T>
std::unique_ptr<T> take_out(std::vector<std::unique_ptr<T>>& all, T& element) {
    const auto at = std::ranges::find(all, &element, &std::unique_ptr<T>::get);
    auto owner = std::move(*at);
    *at = std::move(all.back());
    all.pop_back();
    return owner;
}

}  // namespace

/// One delivery on its way elsewhere: its copy or dead letter is published, and repeated until it
/// is confirmed.
class executor::move final : public detail::publish_ticket, public time::timer_task, public mail {
public:
    explicit move(executor& owner) : owner_{&owner} {}

    void published(publish_status status) noexcept override {
        status_ = status;
        owner_->lane_.post(*this);
    }
    void fire() noexcept override { owner_->lane_.post(*this); }
    void arrive() noexcept override {
        switch (now) {
            case stage::sending:
                if (owner_->conclude(*this, status_)) owner_->let_go(*this);
                return;
            case stage::pausing:
                return owner_->resend(*this);
            case stage::given_back:
                return;
        }
    }

    [[nodiscard]] outgoing_view view() const noexcept {
        return {address, payload, built.packed(), delay};
    }

    case_file about;
    headers built;
    std::string address;
    std::span<const std::byte> payload;  ///< the delivery's, or what a hook put in its place
    std::vector<std::byte> changed;
    nanoseconds delay{0};
    publish_reason why = publish_reason::retry;
    bool has_record = false;
    unsigned tries = 0;
    enum class stage : std::uint8_t { sending, pausing, given_back } now = stage::sending;

private:
    executor* owner_;
    publish_status status_ = publish_status::pending;
};

/// A delivery kept in hand until its delay has passed, then given back.
class executor::held final : public time::timer_task, public mail {
public:
    held(executor& owner, const case_file& file) : about{file}, owner_{&owner} {}

    void fire() noexcept override { owner_->lane_.post(*this); }
    void arrive() noexcept override {
        if (!is_given_back) owner_->held_long_enough(*this);
    }

    case_file about;
    bool is_given_back = false;

private:
    executor* owner_;
};

/// What a handler staged, on its way; the delivery is acked when all of it is confirmed.
class executor::staged_move final : public detail::publish_ticket, public mail {
public:
    explicit staged_move(executor& owner) : owner_{&owner} {}

    void published(publish_status status) noexcept override {
        note(status);
        if (outstanding.fetch_sub(1, std::memory_order_acq_rel) == 1) owner_->lane_.post(*this);
    }
    void arrive() noexcept override {
        if (!is_given_back) owner_->staged_concluded(*this);
    }
    void note(publish_status status) noexcept {
        auto known = worst.load(std::memory_order_relaxed);
        while (known < status && !worst.compare_exchange_weak(known, status)) {
        }
    }

    case_file about;
    detail::staging messages;
    std::atomic<std::size_t> outstanding{0};
    std::atomic<publish_status> worst{publish_status::confirmed};
    bool is_given_back = false;

private:
    executor* owner_;
};

executor::executor(scope& shared, mailbox& lane) : shared_{shared}, lane_{lane} {}
executor::~executor() = default;

[[gnu::always_inline]] inline situation executor::situation_here(const case_file& about) const {
    situation now;
    now.attempt = about.attempt;
    now.counted = about.from.counted;
    now.deaths = about.past.deaths;
    now.stale = is_stale(about);
    now.foreign = about.past.foreign;
    now.own_history = about.past.own;
    if (about.past.expires_at_ms != 0) [[unlikely]]
        now.expires_in = time_left(about);
    return now;
}

situation executor::situation_of(const case_file& about) const { return situation_here(about); }

nanoseconds executor::time_left(const case_file& about) const {
    const auto expires = std::chrono::milliseconds{about.past.expires_at_ms};
    return saturating_nanoseconds(expires - shared_.time->wall());
}

[[gnu::always_inline]] inline void executor::execute_here(plan decided, const case_file& about, std::string_view error) {
    switch (decided.act) {
        case action::accept:
        case action::reject:
            counters::add(decided.dropped ? shared_.totals.dropped : shared_.totals.acked);
            if (decided.dropped) say_dropped(about, error);
            return settle(about,
                          decided.act == action::accept ? settle_kind::accept : settle_kind::reject,
                          {});
        case action::requeue:
        case action::requeue_after:
            counters::add(shared_.totals.retried);
            return settle(about, settle_kind::requeue, decided.delay);
        case action::hold:
            return hold(about, decided.delay);
        case action::copy:
            return begin_copy(decided, about);
        case action::dead_letter:
            return begin_dead_letter(decided, about, error);
        case action::leave:
            return settle(about, settle_kind::leave, {});
        case action::nothing:
            counters::add(shared_.totals.stale);
            return settle(about, settle_kind::nothing, {});
    }
}

void executor::execute(plan decided, const case_file& about, std::string_view error) {
    execute_here(decided, about, error);
}

void executor::finish(const case_file& about, outcome answer, std::string_view error) {
    if (shared_.observer != nullptr) {
        shared_.observer->answered(shared_.declared->name, about.view(), answer, error);
    }
    execute_here(plan_settlement(answer, shared_.rule, situation_here(about)), about, error);
}

void executor::fail(const case_file& about, dead_reason reason, std::string_view error) {
    const bool undecodable = reason == dead_reason::decode;
    shared_.log->write(
        log_level::warning, undecodable ? "undecodable" : "handler_failed",
        {{"subscription", shared_.declared->name}, {"attempt", about.attempt}, {"error", error}});
    const auto policy =
        undecodable ? shared_.declared->undecodable() : shared_.declared->on_exception;
    if (!policy.is_dead_letter()) return finish(about, policy.answer(), error);
    if (shared_.observer != nullptr) {
        shared_.observer->answered(shared_.declared->name, about.view(), policy.answer(), error);
    }
    const auto now = situation_of(about);
    execute(now.stale ? plan{{}, action::nothing, {}, false} : spent(shared_.rule, now, reason),
            about, error);
}

void executor::say_dropped(const case_file& about, std::string_view error) const {
    shared_.log->write(log_level::info, "dropped",
                       {{"subscription", shared_.declared->name},
                        {"attempt", about.attempt},
                        {"address", about.from.address},
                        {"error", error}});
}

void executor::release(const case_file& about) { settle(about, settle_kind::release, {}); }

void executor::wait_on(const case_file& about, nanoseconds left) {
    if (shared_.rule.can.delay == detail::delay_support::broker) {
        return settle(about, settle_kind::release, left);
    }
    const outgoing_view same{about.from.address, about.from.payload, about.from.packed_headers,
                             left};
    if (is_stale(about)) return settle(about, settle_kind::nothing, {});
    const bool kept = shared_.store->put(same) == publish_status::confirmed;
    settle(about, kept ? settle_kind::accept : settle_kind::release, {});
}

void executor::report(const case_file& about, settle_kind kind) {
    shared_.observer->settled(shared_.declared->name, about.attempt,
                              is_stale(about) ? settle_kind::nothing : kind);
}

void executor::flush() {
    if (acked_ != 0) counters::add(shared_.totals.acked, std::exchange(acked_, 0));
    if (settled_.empty()) return;
    shared_.consumer->settle(settled_);
    settled_.clear();
}

// ---- copies and dead letters -------------------------------------------------------------------

std::unique_ptr<executor::move> executor::take_move(const case_file& about, const plan& decided) {
    std::unique_ptr<move> moving;
    if (spare_moves_.empty()) {
        moving = std::make_unique<move>(*this);
    } else {
        moving = std::move(spare_moves_.back());
        spare_moves_.pop_back();
    }
    moving->about = about;
    moving->payload = about.from.payload;
    moving->delay = decided.delay;
    moving->tries = 0;
    return moving;
}

void executor::begin_copy(const plan& decided, const case_file& about) {
    auto moving = take_move(about, decided);
    const auto fresh = about.past.root_id.empty() ? shared_.ids->next() : std::string{};
    const copy_facts facts{about.from.packed_headers, shared_.count.count_header,
                           fresh.empty() ? about.past.root_id : fresh, about.attempt};
    const auto& fixed = shared_.declared->retry_to;
    const auto retry_source =
        fixed ? std::string_view{"*"} : std::string_view{shared_.count.reader};
    moving->address = fixed ? *fixed : std::string{about.from.address};
    build_retry_copy(moving->built, facts, retry_source);
    moving->why = publish_reason::retry;
    moving->has_record = false;
    if (shared_.on_retry_copy) apply_copy_hook(*moving, facts, retry_source);
    start(std::move(moving));
}

void executor::apply_copy_hook(move& moving, copy_facts facts, std::string_view retry_source) {
    outgoing copy{moving.address, moving.payload};
    copy.headers() = moving.built;
    try {
        shared_.on_retry_copy(copy, moving.about.view());
    } catch (const std::exception& thrown) {
        return shared_.log->write(log_level::error, "copy_hook_failed",
                                  {{"subscription", shared_.declared->name},
                                   {"error", thrown.what()},
                                   {"copy", "sent unchanged"}});
    } catch (...) {
        return shared_.log->write(log_level::error, "copy_hook_failed",
                                  {{"subscription", shared_.declared->name},
                                   {"error", "not a std::exception"},
                                   {"copy", "sent unchanged"}});
    }
    // Built anew from what the hook left: a copy without its count would never reach the cap.
    facts.original = copy.headers().packed();
    build_retry_copy(moving.built, facts, retry_source);
    moving.changed.assign(copy.payload().begin(), copy.payload().end());
    moving.payload = moving.changed;
}

void executor::begin_dead_letter(const plan& decided, const case_file& about,
                                 std::string_view error) {
    auto moving = take_move(about, decided);
    const auto fresh = about.past.root_id.empty() ? shared_.ids->next() : std::string{};
    const bool unseen = decided.reason == dead_reason::redelivered;
    const auto deliveries = unseen ? about.attempt - 1 : about.attempt;
    const copy_facts facts{about.from.packed_headers, shared_.count.count_header,
                           fresh.empty() ? about.past.root_id : fresh, deliveries};
    const auto now = shared_.time->wall();
    failure_record record;
    record.reason = decided.reason;
    record.error = error;
    record.source = shared_.declared->from.name;
    record.handler = shared_.declared->name;
    record.host = shared_.host;
    record.at = now;
    record.first_at = now;
    record.attempts = deliveries;
    record.count = about.past.deaths + 1;
    if (!about.past.first_death_at.empty()) record.first_at_text = about.past.first_death_at;
    moving->address = *shared_.declared->dead_letter;
    build_dead_letter(moving->built, facts, record,
                      static_cast<std::size_t>(shared_.declared->record_budget));
    moving->why = publish_reason::dead_letter;
    moving->has_record = true;
    shared_.log->write(log_level::warning, "dead_lettered",
                       {{"subscription", shared_.declared->name},
                        {"reason", to_string(decided.reason)},
                        {"attempts", deliveries},
                        {"to", moving->address},
                        {"error", error}});
    start(std::move(moving));
}

publish_status executor::send(move& moving) {
    moving.now = move::stage::sending;
    if (is_stale(moving.about)) return publish_status::lost;
    const auto message = moving.view();
    const bool waits_here = message.delay > message.delay.zero() && !shared_.rule.can.delays_copies;
    return waits_here ? shared_.store->put(message) : shared_.transport->publish(message, &moving);
}

void executor::start(std::unique_ptr<move> moving) {
    const auto status = send(*moving);
    if (status != publish_status::pending && conclude(*moving, status)) {
        spare_moves_.push_back(std::move(moving));
    } else {
        moves_.push_back(std::move(moving));
    }
}

void executor::resend(move& moving) {
    const auto status = send(moving);
    if (status != publish_status::pending && conclude(moving, status)) let_go(moving);
}

void executor::let_go(move& moving) { spare_moves_.push_back(take_out(moves_, moving)); }

bool executor::conclude(move& moving, publish_status status) {
    const bool stale = is_stale(moving.about);
    if (status != publish_status::confirmed && !stale && !winds_down_) {
        repeat_later(moving, status);
        return false;
    }
    end_trouble(moving);
    if (status != publish_status::confirmed) {
        if (stale) counters::add(shared_.totals.stale);
        settle(moving.about, stale ? settle_kind::nothing : settle_kind::release, {});
        return true;
    }
    if (shared_.observer != nullptr) {
        shared_.observer->published(moving.why, moving.view(), status);
    }
    counters::add(moving.why == publish_reason::retry ? shared_.totals.retried
                                                      : shared_.totals.dead_lettered);
    settle(moving.about, settle_kind::accept, {});
    return true;
}

void executor::repeat_later(move& moving, publish_status status) {
    counters::add(shared_.totals.failed_publishes);
    const bool never = status == publish_status::refused;
    auto pause = never ? parked_repeat : pause_before_repeat(moving.tries);
    if (never && moving.has_record) {
        headers bare;
        for (const auto& entry : moving.built) {
            if (entry.known < known_header::dead_reason) bare.append(entry.name, entry.value);
        }
        moving.built = std::move(bare);
        moving.has_record = false;
        pause = nanoseconds{1};
    }
    const auto reason = std::string{"a message for "} + moving.address + ' ' + in_words(status) +
                        "; the original is kept and the publish is repeated";
    const auto& name = shared_.declared->name;
    moving.tries == 0 ? shared_.trouble->raise(name, reason) : shared_.trouble->renew(name, reason);
    shared_.log->write(log_level::error, "publish_failed",
                       {{"subscription", shared_.declared->name},
                        {"to", moving.address},
                        {"tries", moving.tries + 1},
                        {"problem", in_words(status)},
                        {"again_in", to_text(pause)}});
    ++moving.tries;
    moving.now = move::stage::pausing;
    shared_.wakes->arm(shared_.time->now(), pause, moving);
}

void executor::end_trouble(move& moving) {
    if (std::exchange(moving.tries, 0) != 0) shared_.trouble->clear(shared_.declared->name);
}

void executor::give_back(move& moving) {
    end_trouble(moving);
    moving.now = move::stage::given_back;
    ++given_back_;
    release(moving.about);
}

// ---- held deliveries ---------------------------------------------------------------------------

void executor::hold(const case_file& about, nanoseconds delay) {
    held_.push_back(std::make_unique<held>(*this, about));
    shared_.wakes->arm(shared_.time->now(), delay, *held_.back());
}

void executor::held_long_enough(held& waiting) {
    const auto owner = take_out(held_, waiting);
    counters::add(shared_.totals.retried);
    settle(owner->about, settle_kind::requeue, {});
}

// ---- what a handler staged ---------------------------------------------------------------------

void executor::publish_then_ack(const case_file& about, detail::staging& staged) {
    if (is_stale(about)) {
        staged.clear();
        return execute({{}, action::nothing, {}, false}, about, {});
    }
    if (spare_staged_.empty()) spare_staged_.push_back(std::make_unique<staged_move>(*this));
    auto moving = std::move(spare_staged_.back());
    spare_staged_.pop_back();
    moving->about = about;
    std::swap(moving->messages, staged);
    const auto count = moving->messages.size();
    moving->worst = publish_status::confirmed;
    moving->outstanding = count + 1;
    std::size_t done = 1;
    for (std::size_t at = 0; at < count; ++at) {
        const outgoing_view message{moving->messages.address(at), moving->messages.payload(at), {}};
        const auto status = shared_.transport->publish(message, moving.get());
        if (status == publish_status::pending) continue;
        moving->note(status);
        ++done;
    }
    auto& sent = *moving;
    staged_.push_back(std::move(moving));
    if (sent.outstanding.fetch_sub(done, std::memory_order_acq_rel) == done) {
        staged_concluded(sent);
    }
}

void executor::staged_concluded(staged_move& moving) {
    const auto worst = moving.worst.load();
    if (worst == publish_status::lost && !is_stale(moving.about)) {
        release(moving.about);
    } else if (worst == publish_status::lost) {
        execute({{}, action::nothing, {}, false}, moving.about, {});
    } else if (worst != publish_status::confirmed) {
        const auto first = std::string{moving.messages.address(0)};
        fail(moving.about, dead_reason::exception,
             "a message that the handler published (the first was for " + first + ") " +
                 in_words(worst));
    } else {
        for (std::size_t at = 0; shared_.observer != nullptr && at < moving.messages.size(); ++at) {
            shared_.observer->published(
                publish_reason::staged,
                {moving.messages.address(at), moving.messages.payload(at), {}}, worst);
        }
        finish(moving.about, ack());
    }
    moving.messages.clear();
    spare_staged_.push_back(take_out(staged_, moving));
}

// ---- stop --------------------------------------------------------------------------------------

void executor::wind_down() {
    winds_down_ = true;
    for (const auto& moving : moves_) {
        if (moving->now == move::stage::pausing) give_back(*moving);
    }
    for (const auto& waiting : held_) {
        if (std::exchange(waiting->is_given_back, true)) continue;
        ++given_back_;
        settle(waiting->about, settle_kind::requeue, {});
    }
}

void executor::abandon() {
    wind_down();
    for (const auto& moving : moves_) {
        if (moving->now == move::stage::sending) give_back(*moving);
    }
    for (const auto& moving : staged_) {
        if (std::exchange(moving->is_given_back, true)) continue;
        ++given_back_;
        release(moving->about);
    }
}

}  // namespace waybill::settle
