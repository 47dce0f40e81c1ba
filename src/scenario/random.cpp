#include "scenario/random.hpp"

#include "scenario/dice.hpp"
#include "scenario/kit.hpp"
#include "scenario/reading.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace waybill::scenario {
namespace {

using namespace std::chrono_literals;

/// Where steps publish. Nothing that a service publishes by itself goes there, but for retries, so
/// that nothing multiplies without end.
constexpr std::array<std::string_view, 3> inputs{"in.a", "in.b", "in.c"};
constexpr std::string_view outputs = "out";
constexpr std::string_view dead_letters = "dead";
constexpr std::string_view last_letters = "dead.dead";
constexpr std::string_view again = "again";
constexpr std::array<std::string_view, 6> payloads{"p0", "p1", "p2", R"({"id":7})", "", "\xff\xfe"};
constexpr std::string_view earlier_name = "earlier";

// ---- handlers ----------------------------------------------------------------------------------

class maker_of_answers {
public:
    maker_of_answers(dice& by, bool may_reply, bool is_capped)
        : by_{by}, may_reply_{may_reply}, is_capped_{is_capped} {}

    answers list() {
        answers made;
        for (auto left = by_.below(4); left != 0; --left) made.push_back(one());
        made.push_back(one());
        // What nothing ends by its nature ends here, nearly always.
        const bool goes_on = is_capped_ ? by_.chance(50) : by_.chance(8);
        if (!goes_on) made.push_back({.what = by_.chance(70) ? kind::ack : kind::drop});
        return made;
    }

private:
    using kind = answer::kind;

    nanoseconds delay() {
        return by_.one_of<nanoseconds>({20ms, 100ms, 500ms, 1s, 5s, 30s, 10min});
    }
    answer one() {
        answer made{.what = what()};
        if (made.what == kind::retry_after && by_.chance(85)) made.delay = delay();
        if (made.what == kind::throws_number) made.number = static_cast<int>(by_.below(10));
        if (made.what == kind::reply) made.reply = "r";
        if (by_.chance(20)) made.takes = by_.one_of<nanoseconds>({1ms, 300ms, 5s, 40s});
        if (by_.chance(10)) made.publishes.push_back({std::string{outputs}, bytes_of("o")});
        if (by_.chance(3)) made.publishes.push_back({std::string{outputs}, bytes_of("oo")});
        return made;
    }
    kind what() {
        const auto drawn = by_.below(100);
        if (drawn < 15) return kind::ack;
        if (drawn < 23) return kind::drop;
        if (drawn < 50) return kind::retry;
        if (drawn < 76) return kind::retry_after;
        if (drawn < 84) return kind::throws;
        if (drawn < 88) return kind::throws_number;
        if (drawn < 92) return kind::crash;
        return may_reply_ ? kind::reply : kind::ack;
    }

    dice& by_;
    bool may_reply_;
    bool is_capped_;
};

bool replies(const answers& list) {
    return std::ranges::any_of(list,
                               [](const auto& each) { return each.what == answer::kind::reply; });
}

// ---- subscriptions -----------------------------------------------------------------------------

backoff make_up_backoff(dice& by) {
    switch (by.below(3)) {
        case 0:
            return backoff::fixed(by.one_of<nanoseconds>({50ms, 2s}));
        case 1:
            return backoff::exponential(by.one_of<nanoseconds>({50ms, 1s}), 30s);
        default:
            return backoff::list({100ms, by.one_of<nanoseconds>({50ms, 10s})});
    }
}

failure_policy make_up_policy(dice& by, bool has_dead_letter) {
    const auto drawn = by.below(has_dead_letter ? 5 : 4);
    if (drawn == 0) return ack();
    if (drawn == 1) return drop();
    if (drawn == 2) return retry();
    if (drawn == 3) return outcome{outcome_kind::retry_after, by.one_of<nanoseconds>({0s, 1s})};
    return to_dead_letter;
}

void make_up_policies(dice& by, subscription& into, std::string_view dead_letter) {
    auto& how = into.declared;
    if (by.chance(80)) how.max_attempts = by.between(1, 5);
    if (by.chance(65)) how.dead_letter = dead_letter;
    if (by.chance(15)) how.retry_to = again;
    if (!how.retry_to && by.chance(5)) how.retry_to_delivery = true;
    if (by.chance(10)) how.max_redeliveries = by.between(1, 6);
    if (by.chance(25)) how.retry_delay = make_up_backoff(by);
    if (by.chance(25)) how.on_exception = make_up_policy(by, how.dead_letter.has_value());
    if (by.chance(15)) how.on_undecodable = make_up_policy(by, how.dead_letter.has_value());
    if (by.chance(30)) how.concurrency = by.between(2, 4);
    how.drop_when_spent = by.chance(10);
    how.drop_to_broker = by.chance(10);
    how.skip_foreign_copies = by.chance(20);
    if (by.chance(10)) how.formerly.emplace_back(earlier_name);
}

void make_up_handler(dice& by, subscription& into) {
    const bool has_reply_address = by.chance(25);
    maker_of_answers make{by, has_reply_address, into.declared.max_attempts.has_value()};
    into.handler = make.list();
    bool is_replying = replies(into.handler);
    for (auto left = by.chance(30) ? by.between(1, 2) : 0; left != 0; --left) {
        auto& list = into.handler_for[bytes_of(payloads[by.below(payloads.size() - 1)])];
        list = make.list();
    }
    for (const auto& each : into.handler_for) is_replying |= replies(each.second);
    if (is_replying) into.declared.reply_to = outputs;
}

void make_up_codec(dice& by, subscription& into) {
    if (!by.chance(15)) return;
    into.codec = by.one_of({codec_name::json, codec_name::cbor, codec_name::msgpack});
    into.message.push_back({"id", field_kind::u64});
}

subscription make_up_subscription(dice& by, const kit& on, std::string name,
                                  std::string_view address, std::string_view dead_letter) {
    subscription made;
    made.declared.name = std::move(name);
    made.declared.from = on.make_up_source(by, address);
    make_up_codec(by, made);
    make_up_policies(by, made, dead_letter);
    make_up_handler(by, made);
    return made;
}

/// Reads what the others publish, and publishes nothing but dead letters and copies.
subscription make_up_follower(dice& by, const kit& on, std::string_view address) {
    auto made =
        make_up_subscription(by, on, std::string{address} + " reader", address, last_letters);
    const auto make_silent = [](answers& list) {
        for (auto& each : list) {
            each.publishes.clear();
            if (each.what == answer::kind::reply) each.what = answer::kind::ack;
        }
    };
    make_silent(made.handler);
    for (auto& each : made.handler_for) make_silent(each.second);
    made.declared.reply_to.reset();
    return made;
}

std::vector<subscription> make_up_subscriptions(dice& by, const kit& on) {
    std::vector<subscription> made;
    for (auto left = by.between(1, 3); left != 0; --left) {
        made.push_back(make_up_subscription(by, on, "s" + std::to_string(made.size() + 1),
                                            by.of(inputs), dead_letters));
    }
    const bool retries_elsewhere = std::ranges::any_of(
        made, [](const auto& each) { return each.declared.retry_to.has_value(); });
    if (retries_elsewhere && by.chance(80)) made.push_back(make_up_follower(by, on, again));
    if (by.chance(30)) made.push_back(make_up_follower(by, on, dead_letters));
    if (by.chance(20)) made.push_back(make_up_follower(by, on, outputs));
    return made;
}

// ---- steps -------------------------------------------------------------------------------------

/// Remembers whether the service is up and can be reached, so that most steps do something.
class maker_of_steps {
public:
    maker_of_steps(dice& by, const scenario& told) : by_{by} {
        for (const auto& each : told.subscriptions) {
            is_patient_ = is_patient_ && each.declared.max_attempts.has_value();
            is_decoding_ = is_decoding_ || each.codec != codec_name::raw;
        }
    }

    std::vector<step::any> list() {
        for (auto left = by_.between(3, 14); left != 0; --left) one();
        if (by_.chance(50)) made_.push_back(step::advance{is_patient_ ? nanoseconds{1h} : 10s});
        return std::move(made_);
    }

private:
    void one() {
        const auto drawn = by_.below(100);
        if (!is_up_ && drawn < 40) return bring_up();
        if (!is_reachable_ && drawn < 40) return reconnect();
        if (drawn < 42) return publish();
        if (drawn < 70) return advance();
        if (drawn < 76) return go_down(step::crash{});
        if (drawn < 82) return stop();
        if (drawn < 88) return drop_connection();
        if (drawn < 95) return fail_publishes();
        if (drawn < 98) return add(step::restart_broker{});
        add(step::remove{address()});
    }
    void add(step::any made) { made_.push_back(std::move(made)); }

    void bring_up() {
        is_up_ = true;
        add(step::restart{});
    }
    void reconnect() {
        is_reachable_ = true;
        add(step::reconnect{});
    }
    void drop_connection() {
        is_reachable_ = false;
        add(step::drop_connection{});
        if (by_.chance(60)) reconnect();
    }
    void go_down(step::any how) {
        is_up_ = false;
        add(std::move(how));
    }
    void stop() {
        step::stop made;
        if (by_.chance(60)) made.timeout = by_.one_of<nanoseconds>({0s, 100ms, 2s, 1min});
        go_down(made);
    }
    void fail_publishes() {
        step::fail_publishes made{std::string{address()}, by_.below(3) + 1};
        if (by_.chance(50)) made.to = by_.one_of({dead_letters, again, outputs});
        add(std::move(made));
    }
    void advance() {
        const auto by = is_patient_
                            ? by_.one_of<nanoseconds>({1ms, 50ms, 500ms, 1s, 10s, 1min, 30min, 24h})
                            : by_.one_of<nanoseconds>({1ms, 50ms, 500ms, 1s, 10s});
        add(step::advance{by});
    }
    void publish() {
        step::publish made;
        made.to = address();
        if (is_decoding_ && by_.chance(50)) {
            made.value = json::object{{"id", by_.chance(80) ? json::value{7} : json::value{"x"}}};
        } else {
            made.payload = bytes_of(by_.of(payloads));
        }
        if (by_.chance(25)) made.times = by_.below(6) + 2;
        if (by_.chance(3)) made.times = 40;
        if (by_.chance(12)) made.time_to_live = by_.one_of<nanoseconds>({50ms, 1s, 20s, 1h});
        if (by_.chance(20)) add_headers(made.with);
        add(std::move(made));
    }
    /// Also such as the runtime reads.
    void add_headers(headers& to) {
        constexpr std::string_view count = "waybill-retry-count";
        constexpr std::string_view from = "waybill-retry-source";
        if (by_.chance(60)) to.append("trace", "abc");
        if (by_.chance(20)) to.append("number", std::int64_t{-1});
        if (by_.chance(20))
            to.append(count, by_.one_of<std::string_view>({"2", "07", "-1", "900"}));
        if (by_.chance(10)) to.append(count, std::uint64_t{1});
        if (by_.chance(20)) {
            to.append(from, by_.one_of<std::string_view>({"*", "other", earlier_name, "in.a"}));
        }
    }
    std::string address() { return std::string{by_.chance(93) ? by_.of(inputs) : dead_letters}; }

    dice& by_;
    std::vector<step::any> made_;
    bool is_patient_ = true;  ///< whether much time may pass
    bool is_decoding_ = false;
    bool is_up_ = true;
    bool is_reachable_ = true;
};

}  // namespace

scenario make_up(std::uint64_t seed, std::uint64_t run, std::string_view transport) {
    dice by{seed, run};
    const auto& on = *kit_for(transport);
    scenario made;
    made.name = "seed " + std::to_string(seed) + ", run " + std::to_string(run);
    made.transport = transport;
    made.broker = on.make_up_broker(by);
    made.subscriptions = make_up_subscriptions(by, on);
    made.steps = maker_of_steps{by, made}.list();
    return made;
}

}  // namespace waybill::scenario
