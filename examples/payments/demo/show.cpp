#include "demo/show.hpp"

#include "demo/stage.hpp"
#include <waybill/testing.hpp>

#include <algorithm>
#include <thread>

namespace demo {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

constexpr milliseconds frame_time{40};
/// Nothing moves for so long although something is left: it will not come any more.
constexpr std::chrono::seconds patience{10};

/// Requests come in one by one, but all of them within two seconds.
nanoseconds gap_between(std::size_t lines) {
    return std::min<nanoseconds>(50ms, nanoseconds{2s} / static_cast<long>(lines + 1));
}

/// What both kinds of run share.
struct scene {
    scene(std::span<const request_line> input, screen& output, const std::atomic<int>& signal)
        : lines{input}, on{output}, interrupted{signal}, rows{input} {}

    std::span<const request_line> lines;
    screen& on;
    const std::atomic<int>& interrupted;
    waybill::memory::server server;
    event_queue seen;
    board rows;

    [[nodiscard]] bool is_over() const { return interrupted != 0 || on.failure() != 0; }
    void send(std::size_t index, nanoseconds now) {
        rows.published(index, now);
        publish(lines[index], server);
    }
    void draw(nanoseconds now) {
        rows.apply(seen.take());
        on.draw(rows, now);
    }
    [[nodiscard]] show_result result(nanoseconds took) {
        rows.apply(seen.take());
        on.draw(rows, took);
        on.clear();
        show_result made;
        made.counted = rows.count(in_broker(server));
        made.deliveries = rows.deliveries();
        made.took = took;
        made.dead_letter = rows.dead_letter();
        for (const auto index : rows.under_way()) made.open.push_back(rows.at(index).line);
        return made;
    }
};

std::string all_of(const std::vector<waybill::error>& problems) {
    std::string text;
    for (const auto& each : problems) text += (text.empty() ? "" : "\n") + each.message();
    return text;
}

/// Says when a run that has published everything is at rest. A message may be overlooked on its
/// way from one place of the broker to another, so several looks in a row must find none.
class rest_watch {
public:
    bool is_at_rest(const scene& of, nanoseconds now) {
        if (of.rows.deliveries() != deliveries_ || of.rows.under_way().size() != under_way_) {
            deliveries_ = of.rows.deliveries();
            under_way_ = of.rows.under_way().size();
            moved_ = steady_clock::now();
            moved_at_ = now;
        }
        empty_looks_ = in_broker(of.server) == 0 ? empty_looks_ + 1 : 0;
        const bool stuck =
            steady_clock::now() - moved_ > patience && now - moved_at_ > nanoseconds{patience};
        return empty_looks_ >= 3 || stuck;
    }

private:
    std::size_t deliveries_ = 0;
    std::size_t under_way_ = 0;
    std::size_t empty_looks_ = 0;
    steady_clock::time_point moved_ = steady_clock::now();
    nanoseconds moved_at_{0};
};

show_result run_real(scene& all, double speed) {
    const auto time = speed == 1 ? waybill::real_clock() : waybill::scaled_clock(speed);
    auto service = make_app(all.lines, all.server, time, all.seen);
    if (const auto started = service.start(); !started) {
        show_result failed;
        failed.problem = all_of(started.error());
        return failed;
    }
    const auto began = time->now();
    const auto gap = gap_between(all.lines.size());
    rest_watch rest;
    std::size_t sent = 0;
    while (!all.is_over()) {
        auto next = steady_clock::now() + frame_time;
        while (sent < all.lines.size() && began + gap * static_cast<long>(sent) <= time->now()) {
            all.send(sent++, time->now());
        }
        if (sent < all.lines.size()) {
            const auto due = time->real_time_of(began + gap * static_cast<long>(sent));
            next = std::min(next, due.value_or(next));
        }
        all.draw(time->now());
        if (sent == all.lines.size() && rest.is_at_rest(all, time->now())) break;
        std::this_thread::sleep_until(next);
    }
    const auto took = time->now() - began;
    service.stop();
    return all.result(took);
}

show_result run_virtual(scene& all) {
    const auto time = std::make_shared<waybill::manual_clock>();
    waybill::test_app service{make_app(all.lines, all.server, time, all.seen),
                              waybill::with_clock(time)};
    service.reaction_limit(all.lines.size() * 20 + 1000);
    const auto gap = gap_between(all.lines.size());
    for (std::size_t sent = 0; sent < all.lines.size() && !all.is_over(); ++sent) {
        all.send(sent, time->now());
        service.rest();
        all.draw(time->now());
        service.advance(gap);
    }
    for (auto left = 600; left > 0 && in_broker(all.server) != 0 && !all.is_over(); --left) {
        service.advance(100ms);
        all.draw(time->now());
    }
    service.stop();
    return all.result(time->now());
}

}  // namespace

show_result run_show(std::span<const request_line> lines, pace at, screen& on,
                     const std::atomic<int>& interrupted) {
    scene all{lines, on, interrupted};
    return at.is_virtual ? run_virtual(all) : run_real(all, at.speed);
}

}  // namespace demo
