// The ledger: random services on a server that fails, drops connections and outlives stops. Each
// message that was published ends in exactly one place, whatever happens to it on the way.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace ledger_test {

using waybill::outcome;
using waybill::memory::queue;
using waybill::memory::when_full;

struct item {
    std::uint64_t id;
};
struct note {
    static constexpr std::string_view address = "notes";
    std::uint64_t id;
};

/// Chosen once for a run: what the services declare and what the server can do.
struct plan {
    waybill::memory::options how;
    struct reader {
        std::string name;
        std::int64_t cap = 0;  ///< 0: none
        bool has_dead_letter = false;
        bool finishes_later = false;
        bool copies_elsewhere = false;
        std::int64_t lanes = 1;
        std::chrono::nanoseconds backoff{0};
    };
    std::vector<reader> readers;
};

/// One run: a service that is stopped and started again, and a person who disturbs it.
class run {
public:
    /// `zero_delays`: says `retry_after(0s)` wherever it would say `retry()`.
    explicit run(std::uint64_t seed, bool zero_delays = false)
        : random_{seed}, choices_{seed ^ 0xABCDEF}, zero_delays_{zero_delays} {
        chosen_.how.counts = static_cast<waybill::memory::counting>(below(3));
        chosen_.how.delays = flip(2);
        if (flip(3)) {
            chosen_.how.limit.messages = 1 + below(6);
            chosen_.how.limit.full = flip(2) ? when_full::waits : when_full::fails;
        }
        const auto count = 1 + below(3);
        for (std::uint64_t at = 0; at < count; ++at) {
            auto& reads = chosen_.readers.emplace_back();
            reads.name = "q" + std::to_string(at);
            if (!flip(4)) reads.cap = 1 + static_cast<std::int64_t>(below(4));
            reads.has_dead_letter = reads.cap != 0 && !flip(4);
            reads.finishes_later = flip(3);
            reads.copies_elsewhere = flip(6);
            reads.lanes = 1 + static_cast<std::int64_t>(below(3));
            if (flip(3)) reads.backoff = std::chrono::milliseconds{1 + below(5000)};
        }
        server_ = waybill::memory::server{chosen_.how};
    }

    void go() {
        const auto sessions = 1 + below(3);
        for (std::uint64_t at = 0; at < sessions; ++at) session();
        drain();
    }

    /// Everything that is wrong; empty when the ledger balances.
    [[nodiscard]] std::string problem() const {
        std::string text = problem_;
        std::size_t ended = dropped_ + server_.expired();
        for (const auto& [id, places] : ends_) {
            ended += places.size();
            if (!published_.contains(id) && !staged_.contains(id)) {
                text += "nobody published " + std::to_string(id) + '\n';
            }
            if (places.size() < 2) continue;
            text += std::to_string(id) + " ended more than once:";
            for (const auto& place : places) text += ' ' + place;
            text += '\n';
        }
        std::size_t wanted = published_.size();
        for (const auto id : staged_) wanted += ends_.contains(id) ? 1 : 0;
        if (ended != wanted) {
            text += std::to_string(wanted) + " published, " + std::to_string(ended) + " ended\n";
        }
        return text;
    }
    [[nodiscard]] const std::string& events() const { return events_; }

private:
    struct waiting_settlement {
        waybill::settlement right;
        std::uint64_t id;
        std::uint64_t epoch;
        const plan::reader* reads;
        std::uint32_t attempt;
    };

    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    bool flip(std::uint64_t one_in) { return below(one_in) == 0; }

    void note_event(const std::string& what) { events_ += what + '\n'; }

    outcome retried() { return zero_delays_ ? waybill::retry_after(0s) : waybill::retry(); }

    /// What a handler answers; without a cap it comes to an end by itself.
    outcome choose(const plan::reader& reads, std::uint32_t attempt) {
        const bool tired = reads.cap == 0 && attempt > 4;
        switch (choices_() % (tired ? 2 : 7)) {
            case 0:
                return waybill::ack();
            case 1:
                return waybill::drop();
            case 2:
            case 3:
                return retried();
            case 4:
                return waybill::retry_after(std::chrono::milliseconds{1 + choices_() % 9000});
            case 5:
                throw std::runtime_error("no");
            default:
                throw 42;
        }
    }

    void check_delivery(const plan::reader& reads, std::uint64_t id, std::uint32_t attempt) {
        note_event(reads.name + " " + std::to_string(id) + " attempt " + std::to_string(attempt));
        if (reads.cap != 0 && attempt > reads.cap) {
            problem_ += std::to_string(id) + " ran above its cap\n";
        }
        auto& last = last_attempt_[id];
        if (attempt < last) problem_ += "the count of " + std::to_string(id) + " fell\n";
        if (last == 0) {
            auto& newest = newest_[reads.name];
            if (id < newest) problem_ += std::to_string(id) + " came out of order\n";
            newest = id;
        }
        last = attempt;
        if (attempt == 0) problem_ += "an attempt of 0\n";
        open_acks_.erase(id);
    }

    /// An answer that is settled ends the message here, when it is one that ends it.
    void answered(outcome answer, std::uint64_t id) {
        if (answer.kind() == waybill::outcome_kind::ack) ends_[id].emplace_back("acked");
    }

    outcome handle(const plan::reader& reads, const item& one, std::uint32_t attempt,
                   waybill::out<note>& notes) {
        check_delivery(reads, one.id, attempt);
        const auto epoch = epoch_;
        if (choices_() % 40 == 0 && !settling_) drop_connections();
        std::vector<std::uint64_t> staged;
        if (choices_() % 4 == 0) {
            for (auto count = 1 + choices_() % 2; count != 0; --count) {
                staged.push_back(next_note_++);
                staged_.insert(staged.back());
                notes.publish(note{staged.back()});
            }
        }
        const auto answer = choose(reads, attempt);
        if (epoch != epoch_ || answer.kind() != waybill::outcome_kind::ack) return answer;
        if (staged.empty()) {
            answered(answer, one.id);
        } else {
            // Acked only if the server takes all of them: seen by what comes of it.
            open_acks_[one.id] = staged;
        }
        return answer;
    }

    void handle_later(const plan::reader& reads, const item& one, std::uint32_t attempt,
                      waybill::settlement right) {
        check_delivery(reads, one.id, attempt);
        const auto epoch = epoch_;
        if (choices_() % 30 == 0 && !settling_) drop_connections();
        if (choices_() % 8 == 0) throw std::runtime_error("no");
        later_.push_back({std::move(right), one.id, epoch, &reads, attempt});
    }

    void use_settlement(waybill::test_app& tb) {
        if (later_.empty()) return;
        const auto at = static_cast<std::ptrdiff_t>(below(later_.size()));
        auto used = std::move(later_[static_cast<std::size_t>(at)]);
        later_.erase(later_.begin() + at);
        if (flip(6)) return;  // destroyed: given back
        outcome answer;
        try {
            answer = choose(*used.reads, used.attempt);
        } catch (...) {
            answer = waybill::drop();
        }
        if (used.epoch == epoch_) answered(answer, used.id);
        std::move(used.right).settle(answer);
        // The lane has yet to see it: a connection that falls before would make it stale.
        settling_ = true;
        tb.rest();
        settling_ = false;
    }

    void drop_connections() {
        note_event("connections dropped");
        ++epoch_;
        server_.drop_connections();
    }

    void count_drops(waybill::app& app) {
        app.log_to([this](std::string_view line) {
            if (line.find(" dropped ") != line.npos) ++dropped_;
        });
    }

    waybill::app service() {
        waybill::app app{"shop", "1"};
        count_drops(app);
        auto& broker = app.broker(waybill::memory::broker{server_});
        to_ = broker.publisher();
        for (const auto& reads : chosen_.readers) wire(broker, reads);
        return app;
    }

    void wire(waybill::broker& broker, const plan::reader& reads) {
        auto& wired =
            reads.finishes_later
                ? broker.subscribe(queue(reads.name),
                                   [this, &reads](const item& one, waybill::attempt attempt,
                                                  waybill::settlement right) {
                                       handle_later(reads, one, attempt, std::move(right));
                                   })
                : broker.subscribe(queue(reads.name),
                                   [this, &reads](const item& one, waybill::attempt attempt,
                                                  waybill::out<note> notes) {
                                       return handle(reads, one, attempt, notes);
                                   });
        if (reads.cap != 0) wired.max_attempts(reads.cap);
        if (reads.has_dead_letter) wired.dead_letter("dead." + reads.name);
        if (reads.cap != 0 && !reads.has_dead_letter) wired.drop_when_spent();
        if (reads.copies_elsewhere) wired.retry_to(reads.name);
        if (reads.backoff != 0s) wired.retry_backoff(waybill::backoff::fixed(reads.backoff));
        wired.concurrency(reads.lanes);
    }

    void publish(waybill::test_app& tb) {
        const auto& reads = chosen_.readers[below(chosen_.readers.size())];
        const auto id = next_id_++;
        published_.insert(id);
        server_failures_end(reads.name);
        auto message = to_->message(reads.name, item{id});
        if (!message) return note_problem(message.error());
        message->headers() = {{"x-id", id}, {"X-Id", "twice"}};
        if (flip(4)) message->set_time_to_live(std::chrono::milliseconds{1 + below(9000)});
        const auto taken = to_->publish(*message);
        if (!taken) {
            // Only a full address may refuse it.
            published_.erase(id);
            const bool is_bounded = chosen_.how.limit.messages != 0;
            if (!is_bounded || taken.error().code != waybill::errc::publish) {
                note_problem(taken.error());
            }
        }
        tb.rest();
    }

    void note_problem(const waybill::error& problem) { problem_ += problem.message() + '\n'; }

    /// A publish of the test itself is not to fail.
    void server_failures_end(const std::string& address) { server_.fail_publishes(address, 0); }

    void disturb() {
        const auto& reads = chosen_.readers[below(chosen_.readers.size())];
        switch (below(4)) {
            case 0:
                return server_.fail_publishes("dead." + reads.name, 1 + below(4));
            case 1:
                return server_.fail_publishes(reads.name, 1 + below(4));
            case 2:
                return server_.fail_publishes("notes", 1 + below(3));
            default:
                return drop_connections();
        }
    }

    void session() {
        note_event("start");
        std::optional<waybill::test_app> tb;
        tb.emplace(service(), waybill::with_clock(time_));
        for (auto steps = 5 + below(25); steps != 0; --steps) {
            switch (below(8)) {
                case 0:
                case 1:
                case 2:
                    publish(*tb);
                    break;
                case 3:
                    tb->advance(std::chrono::milliseconds{below(12'000)});
                    break;
                case 4:
                case 5:
                    use_settlement(*tb);
                    tb->rest();
                    break;
                default:
                    if (flip(2)) disturb();
                    tb->rest();
            }
        }
        if (flip(2)) tb->stop();
        ++epoch_;
        tb.reset();
        later_.clear();
        if (server_.unsettled() != 0) problem_ += "a stop left deliveries in hand\n";
    }

    /// Reads all that is left, and says where it lay.
    void drain() {
        for (const auto& reads : chosen_.readers) {
            server_.fail_publishes("dead." + reads.name, 0);
            server_.fail_publishes(reads.name, 0);
        }
        server_.fail_publishes("notes", 0);
        waybill::app app{"drain", "1"};
        count_drops(app);  // of copies that expired
        auto& broker = app.broker(waybill::memory::broker{server_});
        for (const auto& reads : chosen_.readers) {
            broker.subscribe(queue(reads.name), [this](const item& one, const waybill::headers& h) {
                left(one.id, "left", h);
            });
            broker.subscribe(queue("dead." + reads.name),
                             [this](const item& one, const waybill::headers& h) {
                                 left(one.id, "dead", h);
                                 if (!h.contains("waybill-dead-reason")) problem_ += "no record\n";
                             });
        }
        broker.subscribe(queue("notes"),
                         [this](const note& one) { ends_[one.id].emplace_back("note"); });
        waybill::test_app tb{std::move(app), waybill::with_clock(time_)};
        tb.advance(24h);
        if (server_.waiting() != 0) problem_ += "something waits for ever\n";
        // Acked are those whose notes were all taken; what failed at its cap was dropped.
        for (const auto& [id, notes] : open_acks_) {
            const bool taken = std::ranges::all_of(
                notes, [this](std::uint64_t each) { return ends_.contains(each); });
            if (taken) ends_[id].emplace_back("acked with notes");
        }
    }

    void left(std::uint64_t id, const char* where, const waybill::headers& with) {
        ends_[id].emplace_back(where);
        const auto number = with.find("x-id");
        if (!number || number->unsigned_integer() != id) problem_ += "a header is gone\n";
        std::size_t twice = 0;
        for (const auto& each : with) twice += each.name == "x-id" || each.name == "X-Id" ? 1 : 0;
        if (twice != 2) problem_ += "a duplicate header is gone\n";
    }

    std::mt19937_64 random_;
    std::mt19937_64 choices_;
    bool zero_delays_;
    bool settling_ = false;
    plan chosen_;
    waybill::memory::server server_;
    std::shared_ptr<waybill::manual_clock> time_ = std::make_shared<waybill::manual_clock>();
    std::optional<waybill::publisher> to_;
    std::vector<waiting_settlement> later_;
    std::uint64_t epoch_ = 0;
    std::uint64_t next_id_ = 1;
    std::uint64_t next_note_ = 1'000'000;
    std::set<std::uint64_t> published_;
    std::set<std::uint64_t> staged_;
    std::map<std::uint64_t, std::vector<std::uint64_t>> open_acks_;
    std::map<std::uint64_t, std::vector<std::string>> ends_;
    std::map<std::uint64_t, std::uint32_t> last_attempt_;
    std::map<std::string, std::uint64_t> newest_;
    std::size_t dropped_ = 0;
    std::string problem_;
    std::string events_;
};

TEST_CASE("each message ends in exactly one place, whatever happens on the way") {
    const char* many = std::getenv("WAYBILL_LEDGER_SEEDS");
    const auto seeds = many != nullptr ? std::stoull(many) : 1000;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        run one{seed};
        one.go();
        const auto problem = one.problem();
        if (problem.empty()) continue;
        FAIL_CHECK("seed " << seed << ": " << problem << one.events());
        break;
    }
}

TEST_CASE("a retry and a retry after no time are the same, and two runs are alike") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        CAPTURE(seed);
        run plain{seed};
        run with_zeros{seed, true};
        plain.go();
        with_zeros.go();
        CHECK(plain.events() == with_zeros.events());
    }
}

}  // namespace ledger_test
