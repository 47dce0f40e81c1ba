#include "dispatch/lane.hpp"

#include "time/saturating.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace waybill::dispatch {

using detail::verdict;
using settle::case_file;
using std::chrono::nanoseconds;

namespace {

/// A batch that takes longer than this is cut, so that it neither holds back what other lanes
/// could take nor delays the settlement of what is done.
constexpr nanoseconds quick_batch = std::chrono::microseconds{500};

/// What a lane holds or has yet to publish is bounded by this.
constexpr std::size_t most_unfinished = 256;

/// The largest count of the broker's with which `plan_on_receipt` has nothing to say to a message
/// without headers.
std::uint32_t most_plain_count(const settle::rules& rule) noexcept {
    if (rule.can.counts != detail::count_support::failures) return 0;
    auto most = rule.cap == 0 ? UINT32_MAX - 1 : rule.cap - 1;
    const auto limit = rule.can.delivery_limit;
    if (limit != 0) most = std::min(most, limit - std::min(limit, 3U));
    return most;
}

/// Below this attempt the answer gives a message without headers back, after the delay it names:
/// `plan_settlement` is asked once instead of every time.
std::uint32_t requeues_below(const settle::rules& rule, outcome answer) noexcept {
    if (!rule.retry_delay.empty() || rule.can.delivery_limit != 0) return 0;
    const auto now = settle::action::requeue;
    const auto later = settle::action::requeue_after;
    const auto delay = answer.delay();
    const settle::plan requeue{delay, delay == delay.zero() ? now : later};
    return settle::plan_settlement(answer, rule, {}) == requeue ? rule.cap : 0;
}

}  // namespace

/// The lane's object of the handler's message type; keeps the capacity of what it held.
struct lane::message_object {
    explicit message_object(const value_type& of)
        : type{of}, place{::operator new(of.size, std::align_val_t{of.align})} {
        type.construct(place);
    }
    ~message_object() {
        type.destroy(place);
        ::operator delete(place, std::align_val_t{type.align});
    }
    message_object(const message_object&) = delete;
    message_object& operator=(const message_object&) = delete;

    const value_type& type;
    void* place;
    arena kept;
};

/// Where a handler that finishes elsewhere leaves its answer. Keeps what its delivery views, also
/// after the app is gone.
class lane::slot final : public detail::pending_settlement, public settle::mail {
public:
    slot(lane& owner, std::shared_ptr<void> memory) : owner_{&owner}, memory_{std::move(memory)} {}

    void finish(std::uint64_t serial, std::optional<outcome> answer) noexcept override {
        const std::lock_guard lock{mutex_};
        if (owner_ == nullptr || serial != serial_ || answered_) return;
        answered_ = true;
        answer_ = answer;
        owner_->post(*this);
    }
    void arrive() noexcept override {
        std::optional<outcome> answer;
        {
            const std::lock_guard lock{mutex_};
            if (!answered_) return;
            answer = answer_;
        }
        owner_->deferred_settled(answer);
    }
    std::uint64_t take() {
        const std::lock_guard lock{mutex_};
        answered_ = false;
        return ++serial_;
    }
    void forget() {
        const std::lock_guard lock{mutex_};
        ++serial_;
        answered_ = false;
    }
    void close() {
        const std::lock_guard lock{mutex_};
        owner_ = nullptr;
    }

private:
    std::mutex mutex_;
    lane* owner_;
    std::shared_ptr<void> memory_;
    std::uint64_t serial_ = 0;
    bool answered_ = false;
    std::optional<outcome> answer_;
};

lane::lane(subscription& of, pool& on)
    : runnable{on},
      of_{of},
      executor_{of.shared, *this},
      generation_{of.shared.consumer->generation()} {
    const auto& with = of.with();
    batch_.resize(with.max_batch);
    call_.message = &message_;
    call_.states = with.states.data();
    call_.outputs = with.outputs.data();
    call_.staged = &staged_;
    call_.subscription = with.declared->name;
    call_.max_attempts = of.shared.rule.cap;
    call_.time = of.shared.time;
    call_.format = with.format;
    if (with.handler->decodes != nullptr) {
        object_ = std::make_unique<message_object>(*with.handler->decodes);
        call_.decoded = object_->place;
    }
    if (with.handler->defers) {
        slot_ = std::make_shared<slot>(*this, with.memory);
        call_.slot = slot_;
    }
    is_plain_ = !slot_ && of.shared.observer == nullptr;
    most_plain_count_ = most_plain_count(of.shared.rule);
    requeues_below_ = requeues_below(of.shared.rule, retry());
    delays_below_ = requeues_below(of.shared.rule, retry_after(std::chrono::nanoseconds{1}));
    if (of.shared.rule.cap != 0) cap_ = of.shared.rule.cap;
}

lane::~lane() {
    if (slot_) slot_->close();
}

std::size_t lane::how_many() noexcept {
    const auto generation = of_.consumer_->generation();
    if (generation != generation_) [[unlikely]] {
        generation_ = generation;
        of_.notice_reconnect(generation);
        executor_.forget_stale();
        // Of what it held none is in the way any more.
        if (is_held_up_) say_held_up(false);
    }
    if (slot_taken_ || of_.is_stopping()) return 0;
    if (!of_.window_is_open()) return may_take_alone() ? 1 : 0;
    const bool is_full = executor_.unfinished() >= most_unfinished;
    if (is_full != is_held_up_) [[unlikely]]
        say_held_up(is_full);
    if (is_full) return 0;
    return slot_ ? 1 : batch_limit_;
}

/// Nothing of this lane's is on its way any more, and no other lane takes.
bool lane::may_take_alone() noexcept {
    return !executor_.awaits_confirmation() && of_.takes_alone(*this);
}

/// What waits takes up the little that may be in hand; who has answered for it did not die of it.
void lane::pass_over() noexcept {
    const auto waiting = executor_.unfinished();
    if (waiting != 0) of_.consumer_->widen(generation_, waiting + 1);
}

void lane::say_held_up(bool is_so) noexcept {
    is_held_up_ = is_so;
    const auto& name = of_.with().declared->name;
    // Beside the trouble of the publishes themselves, which has the subscription's name.
    const auto key = name + " (lanes)";
    if (!is_so) return of_.shared.trouble->clear(key);
    const auto reason = std::to_string(most_unfinished) +
                        " deliveries of a lane wait for what was published in their place, or for "
                        "their time; it takes no more until one has ended";
    of_.shared.trouble->raise(key, reason);
    if (!of_.takes_held_up_line(of_.shared.time->now())) return;
    of_.shared.log->write(log_level::warning, "lane_held_up",
                          {{"subscription", name}, {"meaning", reason}});
}

bool lane::turn() noexcept {
    quiet_.store(false, std::memory_order_release);
    const bool was_asleep = std::exchange(slept_, false);
    if (was_asleep) of_.awake(*this);
    if (has_mail()) {
        deliver();
        // What that settled does not wait for the handlers below.
        executor_.flush();
    }
    if (of_.is_stopping()) executor_.wind_down();
    if (!due_.empty()) [[unlikely]]
        process_due();
    const auto limit = how_many();
    const auto count = limit == 0 ? 0 : of_.consumer_->take({batch_.data(), limit});
    if (count != 0) {
        const auto began = of_.shared.time->now();
        process_batch({batch_.data(), count});
        settle::counters::add(of_.shared.totals.delivered, count);
        adapt(of_.shared.time->now() - began, count);
    }
    executor_.flush();
    if (count != 0) return true;
    if (limit == 0) {
        // Perhaps what woke it is not for it any more: the one that may take it still sleeps.
        if (was_asleep && of_.consumer_->available() != 0) of_.ready();
    } else if (!of_.window_is_open()) {
        pass_over();
    }
    const bool goes_on = limit != 0 ? of_.sleep(*this) : has_mail();
    slept_ = limit != 0 && !goes_on;
    const bool quiet = !goes_on && !slot_taken_ && due_.empty() && executor_.unfinished() == 0;
    quiet_.store(quiet, std::memory_order_release);
    if (of_.is_stopping()) of_.quiet_();
    return goes_on;
}

void lane::process_batch(std::span<const detail::received> batch) noexcept {
    // A connection that fell and came back between the look at the window and the taking.
    const auto generation = batch.front().generation;
    const bool is_current = !of_.notice_reconnect(generation) && of_.is_current(generation);
    if (!is_current || (!of_.window_is_open() && !of_.takes_alone(*this))) [[unlikely]] {
        for (const auto& each : batch) executor_.release({each, {}, 1});
        return;
    }
    for (const auto& each : batch) process(each);
}

void lane::adapt(nanoseconds took, std::size_t count) noexcept {
    if (took > quick_batch) {
        batch_limit_ = std::max<std::size_t>(1, batch_limit_ / 4);
    } else if (count == batch_limit_) {
        batch_limit_ = std::min(batch_limit_ * 2, batch_.size());
    }
}

// The path of nearly every delivery is one function, and everything beside it a call: inlined here,
// kept out of line below.

[[gnu::always_inline]] inline verdict lane::run_handler(const detail::received& from,
                                                        std::uint32_t attempt) noexcept {
    message_.look_at(from.address, from.payload, from.packed_headers, attempt, from.redelivered);
    const auto& handler = *of_.with().handler;
    try {
        return handler.invoke(handler.object.get(), call_);
    } catch (const std::exception& thrown) {
        call_.problem = thrown.what();
    } catch (...) {
        call_.problem = "the handler threw something that is not a std::exception";
    }
    return {{}, verdict::kind::failed};
}

/// False, with `problem` set, when the payload is not what the handler's message type says, or the
/// codec threw: then nothing is known of the payload, and it goes the way of a handler that threw.
[[gnu::always_inline]] inline bool lane::decode(const detail::received& from) noexcept {
    fault_ = dead_reason::exception;
    try {
        object_->kept.clear();
        const auto read =
            call_.format->decode(object_->type, object_->place, from.payload, object_->kept);
        if (read) [[likely]]
            return true;
        fault_ = dead_reason::decode;
        call_.problem = read.error().message();
    } catch (const std::exception& thrown) {
        call_.problem = std::string{"the codec threw: "} + thrown.what();
    } catch (...) {
        call_.problem = "the codec threw something that is not a std::exception";
    }
    return false;
}

void lane::process(const detail::received& from) noexcept {
    if (!is_plain_ || !of_.is_open() || from.counted > most_plain_count_ ||
        !from.packed_headers.empty()) [[unlikely]]
        return process_with_care(from);
    const auto attempt = settle::attempt_of(0, from.counted);
    if (object_ && !decode(from)) [[unlikely]]
        return undecodable({from, {}, attempt});
    const auto given = run_handler(from, attempt);
    const bool answers = given.how == verdict::kind::answered && staged_.empty();
    if (answers && given.answer.kind() == outcome_kind::ack) [[likely]]
        return executor_.accept(from);
    if (answers && given.answer.kind() != outcome_kind::drop && from.expires_at_ms == 0) {
        const auto delay = std::max(given.answer.delay(), std::chrono::nanoseconds{0});
        const auto below = delay > delay.zero() ? delays_below_ : requeues_below_;
        if (attempt < below && executor_.requeue(from, delay)) return;
    }
    const case_file file{from, {}, attempt};
    if (answers) return executor_.finish(file, given.answer);
    answered(file, given);
}

/// What `stopped_on_receipt` looks at.
[[gnu::always_inline]] inline bool lane::may_be_stopped(const case_file& file) const noexcept {
    return file.attempt > cap_ || file.from.counted > most_plain_count_ ||
           file.expires_at_ms() != 0 || file.past.foreign || file.past.due_ms != 0;
}

/// The same for a delivery that has headers, may be spent, or is observed; and for handlers that
/// finish elsewhere.
void lane::process_with_care(const detail::received& from) noexcept {
    case_file file{from, settle::read_history(from.packed_headers, of_.shared.count), 1};
    const bool failures = of_.shared.rule.can.counts == detail::count_support::failures;
    file.attempt = settle::attempt_of(file.past.carried, failures ? from.counted : 0);
    if (file.past.note != settle::history_note::none) note_history(file);
    const bool is_new = from.counted == 0 && !from.redelivered &&
                        !settle::rule::may_be_of_crashes(of_.shared.rule, file.past.carried);
    if (!of_.is_open() && is_new) of_.open_window(from.generation);
    if (of_.gives_back()) return executor_.release(file);
    if (may_be_stopped(file) && stopped_on_receipt(file)) return;
    handle(file);
}

void lane::process_due() noexcept {
    while (!due_.empty() && !slot_taken_) {
        const auto file = due_.pop();
        if (file.from.generation != of_.consumer_->generation()) {
            executor_.execute({{}, settle::action::nothing}, file, {});
        } else {
            of_.gives_back() ? executor_.release(file) : handle(file);
        }
    }
}

void lane::handle(const case_file& file) noexcept {
    const auto& from = file.from;
    if (object_ && !decode(from)) return undecodable(file);
    if (!is_plain_) lend(file);
    answered(file, run_handler(from, file.attempt));
}

void lane::undecodable(const case_file& file) {
    executor_.fail(file, fault_, call_.problem);
    call_.problem.clear();
}

void lane::note_history(const case_file& file) {
    const bool malformed = file.past.note == settle::history_note::malformed_count;
    of_.shared.log->write(
        log_level::warning, malformed ? "malformed_count" : "others_history",
        {{"subscription", of_.with().declared->name},
         {"address", file.from.address},
         {"meaning", malformed ? "the retry count is not a number and counts as 0"
                               : "the retry count is another framework's and counts as 0"}});
}

bool lane::stopped_on_receipt(const case_file& file) {
    if (const auto ends = settle::plan_on_receipt(of_.shared.rule, executor_.situation_of(file))) {
        const bool goes_on = ends->act == settle::action::copy;
        if (auto* observer = of_.shared.observer; observer != nullptr && !goes_on) {
            observer->exceeded(of_.with().declared->name, file.view());
        }
        executor_.execute(*ends, file, {});
        return true;
    }
    if (file.past.foreign && of_.with().declared->skip_foreign_copies) {
        executor_.finish(file, ack());
        return true;
    }
    // Of another reader's wait it is no part: to wait on would send it to all of the topic again.
    return file.past.due_ms != 0 && !file.past.foreign && came_early(file);
}

bool lane::came_early(const case_file& file) {
    const auto due = std::chrono::milliseconds{file.past.due_ms};
    const auto now = of_.shared.time->wall();
    if (due <= now) return false;
    executor_.wait_on(file, saturating_nanoseconds(due - now));
    return true;
}

/// What only observed apps and handlers that finish elsewhere need.
void lane::lend(const case_file& file) {
    if (auto* observer = of_.shared.observer) {
        observer->delivered(of_.with().declared->name, file.view());
    }
    if (slot_) {
        deferred_ = file;
        slot_taken_ = true;
        call_.serial = slot_->take();
    }
}

void lane::answered(const case_file& file, verdict given) {
    if (given.how == verdict::kind::deferred) return;
    if (slot_) {
        slot_->forget();
        slot_taken_ = false;
    }
    if (given.how == verdict::kind::failed) [[unlikely]] {
        staged_.clear();
        executor_.fail(file, dead_reason::exception, call_.problem);
        call_.problem.clear();
        return;
    }
    const bool acks = given.answer.kind() == outcome_kind::ack;
    if (acks && !staged_.empty()) return executor_.publish_then_ack(file, staged_);
    if (acks && is_plain_) return executor_.accept(file.from);
    staged_.clear();
    executor_.finish(file, given.answer);
}

void lane::deferred_settled(std::optional<outcome> answer) {
    if (!slot_taken_) return;
    if (!answer) {
        slot_->forget();
        slot_taken_ = false;
        staged_.clear();
        call_.problem.clear();
        return executor_.release(deferred_);
    }
    const auto kind = call_.problem.empty() ? verdict::kind::answered : verdict::kind::failed;
    answered(deferred_, {*answer, kind});
}

}  // namespace waybill::dispatch
