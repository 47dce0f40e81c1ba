#include "transport/rabbitmq/keeper.hpp"

#include "time/growing_pause.hpp"
#include <waybill/clock.hpp>
#include <waybill/outcome.hpp>

#include <algorithm>
#include <utility>

namespace waybill::rabbitmq {

using std::chrono::nanoseconds;

namespace {

/// A connection that stood so long was a good one: the next begins at once.
constexpr nanoseconds stood_long = std::chrono::seconds{10};

}  // namespace

keeper::keeper(connector& to, job& does, detail::transport_host& host, std::string name,
               std::string broker)
    : to_{to},
      job_{does},
      host_{host},
      time_{host.time()},
      name_{std::move(name)},
      broker_{std::move(broker)} {}

keeper::~keeper() { end(); }

std::expected<void, error> keeper::start() {
    // By hand, what the server sends meanwhile must not begin a turn inside of this.
    runs_ = host_.is_driven_by_hand();
    auto opened = open();
    runs_ = false;
    if (!opened) return opened;
    if (!host_.is_driven_by_hand()) thread_ = std::thread{[this] { run(); }};
    return {};
}

std::expected<void, error> keeper::open() {
    auto made = to_.open(name_);
    if (!made) return std::unexpected(std::move(made.error()));
    {
        const std::lock_guard lock{mutex_};
        wire_ = std::move(*made);
        server_ = wire_->server();
        // Who ends it has not found it.
        if (ends_) wire_->hurry();
    }
    if (auto ready = job_.opened(*wire_); !ready) {
        const std::lock_guard lock{mutex_};
        wire_->close();
        wire_.reset();
        return ready;
    }
    const std::lock_guard lock{mutex_};
    why_.clear();
    opened_ = time_->now();
    return {};
}

void keeper::poke() noexcept {
    if (host_.is_driven_by_hand()) return run_to_rest();
    if (!sleeps_.exchange(false)) return;
    const std::lock_guard lock{mutex_};
    if (wire_) wire_->wake();
    changed_.notify_all();
}

void keeper::try_now() noexcept {
    tries_now_ = true;
    poke();
}

std::expected<void, error> keeper::ask(task what) {
    asked question{std::move(what), {}};
    {
        const std::lock_guard lock{mutex_};
        if (ends_) {
            return std::unexpected(error{errc::stopped, broker_, "its connection is closed",
                                         "start a new app to connect again"});
        }
        asked_.push_back(&question);
        has_asked_ = true;
    }
    poke();
    std::unique_lock lock{mutex_};
    if (!host_.is_driven_by_hand()) {
        changed_.wait(lock, [&] { return question.answer.has_value(); });
    }
    if (question.answer) return std::move(*question.answer);
    std::erase(asked_, &question);
    return std::unexpected(error{errc::connection, broker_, "it is not connected: " + why_,
                                 "it is tried again and again"});
}

/// Without a connection a question is answered by why there is none.
bool keeper::do_asked() {
    std::vector<asked*> all;
    {
        const std::lock_guard lock{mutex_};
        all.swap(asked_);
        has_asked_ = false;
    }
    for (auto* each : all) {
        auto answer =
            wire_ ? each->what(*wire_)
                  : std::unexpected(error{errc::connection, broker_, "it is not connected: " + why_,
                                          "it is tried again and again"});
        const std::lock_guard lock{mutex_};
        each->answer = std::move(answer);
        changed_.notify_all();
    }
    return !all.empty();
}

bool keeper::is_idle() const noexcept {
    // Without a connection what is posted waits for one.
    const bool can_work = wire_ != nullptr ? job_.has_work() : tries_now_.load();
    return !has_asked_ && !ends_ && !can_work;
}

/// True when something was done.
bool keeper::turn() {
    const bool answered = do_asked();
    if (!wire_) return try_to_open() || answered;
    job_.work(*wire_);
    if (auto written = wire_->flush(); !written) {
        take_the_rest();
        fell(written.error());
        return true;
    }
    auto read = wire_->read(job_);
    if (read && *read) job_.was_read();
    if (!read) fell(read.error());
    return answered || !read || *read || !is_idle();
}

/// What came before the connection fell counts: a confirmation that nobody hears is a message that
/// is sent twice. Deliveries are not handed over, as nothing can be said of them any more.
void keeper::take_the_rest() {
    for (auto read = wire_->read(job_); read && *read;) read = wire_->read(job_);
}

bool keeper::try_to_open() {
    const bool at_once = tries_now_.exchange(false);
    if (opens_no_more_ || (!at_once && time_->now() < next_try_)) return false;
    if (auto done = open(); !done) {
        if (!opens_no_more_) pause_after(done.error());
    } else {
        const auto away = std::chrono::ceil<std::chrono::milliseconds>(time_->now() - since_);
        host_.tell("connected", broker_, name_ + ": again, after " + to_text(away));
    }
    return true;
}

void keeper::fell(const refusal& why) {
    {
        const std::lock_guard lock{mutex_};
        wire_.reset();
        since_ = time_->now();
        why_ = why.text.empty() ? "the connection fell" : why.text;
    }
    job_.lost(why);
    if (since_ - opened_ >= stood_long) {
        tries_ = 0;
        falls_again_ = false;
    }
    // What makes each connection fall must not spin.
    next_try_ = since_ + (std::exchange(falls_again_, true) ? next_pause() : nanoseconds{0});
    host_.warn("connection_lost", broker_, name_ + ": " + why_);
}

nanoseconds keeper::next_pause() {
    const auto pause = pause_before_repeat(tries_++);
    // A test's time is exact.
    return host_.is_driven_by_hand() ? pause : jittered(pause, random_);
}

void keeper::pause_after(const error& why) {
    const auto pause = next_pause();
    next_try_ = time_->now() + pause;
    auto said = why;
    if (said.where == broker_) said.where.clear();
    {
        const std::lock_guard lock{mutex_};
        why_ = said.message();
    }
    host_.warn("connection_failed", broker_,
               name_ + ": " + said.message() + "; again in " +
                   to_text(std::chrono::ceil<std::chrono::milliseconds>(pause)));
}

void keeper::run() {
    while (!ends_) {
        if (!turn()) sleep();
    }
}

void keeper::sleep() {
    sleeps_ = true;
    if (!is_idle()) {
        sleeps_ = false;
        return;
    }
    const auto until = due();
    const auto span =
        until ? std::optional{std::max<nanoseconds>(*until - time_->now(), nanoseconds{0})}
              : std::nullopt;
    if (wire_) {
        wire_->wait(span);
    } else {
        std::unique_lock lock{mutex_};
        const auto woken = [this] { return !sleeps_; };
        span ? changed_.wait_for(lock, *span, woken) : (changed_.wait(lock, woken), true);
    }
    sleeps_ = false;
}

std::optional<nanoseconds> keeper::due() const {
    if (wire_) return job_.due();
    return opens_no_more_ ? std::nullopt : std::optional{next_try_};
}

void keeper::run_to_rest() {
    runs_again_ = true;
    if (runs_) return;
    runs_ = true;
    while (!ends_ && (std::exchange(runs_again_, false) || !is_idle())) {
        while (turn()) {
        }
        if (!wire_) break;
    }
    runs_ = false;
}

void keeper::open_no_more() noexcept { opens_no_more_ = true; }

void keeper::end() noexcept {
    if (ends_.exchange(true)) return;
    open_no_more();
    if (thread_.joinable()) {
        sleeps_ = true;  // or it has just looked, and is about to sleep
        poke();
        {
            const std::lock_guard lock{mutex_};
            if (wire_) wire_->hurry();
        }
        thread_.join();
    }
    do_asked();
    if (!wire_) return;
    job_.work(*wire_);
    job_.closes(*wire_);
    if (wire_->flush()) wire_->close();
    const std::lock_guard lock{mutex_};
    wire_.reset();
}

std::string keeper::trouble(nanoseconds now) const {
    const std::lock_guard lock{mutex_};
    if (why_.empty()) return {};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since_);
    return name_ + " has not been connected for " + to_text(seconds) + ": " + why_;
}

server_facts keeper::server() const {
    const std::lock_guard lock{mutex_};
    return server_;
}

bool keeper::is_open() const {
    const std::lock_guard lock{mutex_};
    return wire_ != nullptr;
}

}  // namespace waybill::rabbitmq
