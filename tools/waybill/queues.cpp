#include "queues.hpp"

#include "exit_code.hpp"
#include "scenario/terminal.hpp"
#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/prune.hpp"
#include "transport/rabbitmq/settings.hpp"
#include <waybill/outcome.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>

namespace waybill::tool {
namespace {

using rabbitmq::found_queue;

constexpr std::uint64_t longest_wait_seconds = 7 * 24 * 3600;

int fail(const error& why, int code) {
    std::fprintf(stderr, "%s\n", scenario::harmless(why.message()).c_str());
    return code;
}

/// Many names are asked for, and a server may be far: a person sees that it goes on.
void show_progress(std::size_t done, std::size_t all) {
    if (::isatty(STDERR_FILENO) == 0 || (done % 50 != 0 && done != all)) return;
    std::fprintf(stderr, "\r%zu of %zu names asked for%s", done, all, done == all ? "\n" : "");
}

void pause(std::chrono::nanoseconds span, std::size_t empty) {
    std::fprintf(stderr, "%zu empty quorum queue%s: looking again in %s\n", empty,
                 empty == 1 ? "" : "s", to_text(span).c_str());
    std::this_thread::sleep_for(span);
}

std::string state_of(const found_queue& each, bool prunes) {
    if (each.gone_along != 0) {
        return "deleted, and lost what began to wait meanwhile: " +
               std::to_string(each.gone_along) + " message" + (each.gone_along == 1 ? "" : "s");
    }
    if (each.is_deleted) return "deleted";
    return prunes ? "kept: " + each.kept : std::string{};
}

void print(const std::vector<found_queue>& all, const queues_options& how, bool prunes) {
    if (all.empty()) {
        std::printf(
            "There are no waiting queues of %s.\n",
            how.origins.size() == 1 ? scenario::harmless(how.origins[0]).c_str() : "these queues");
        return;
    }
    const scenario::paint with{scenario::wants_colour(stdout)};
    std::size_t widest = 6;
    for (const auto& each : all) {
        widest = std::max(widest, scenario::columns_of(scenario::harmless(each.origin)));
    }
    const auto row = [&](std::string_view origin, std::string_view delay, std::string_view type,
                         std::string_view waiting, const std::string& rest) {
        return scenario::to_left(origin, widest) + "  " + scenario::to_right(delay, 9) + "  " +
               scenario::to_left(type, 7) + "  " + scenario::to_right(waiting, 7) +
               (rest.empty() ? "" : "  " + rest);
    };
    std::puts(with(scenario::colour::bold, row("origin", "delay", "type", "waiting", {})).c_str());
    std::size_t deleted = 0;
    for (const auto& each : all) {
        deleted += each.is_deleted ? 1 : 0;
        const auto colour = each.gone_along != 0 ? scenario::colour::red
                            : each.is_deleted    ? scenario::colour::green
                                                 : scenario::colour::none;
        const auto* const type = each.type == rabbitmq::queue_type::quorum ? "quorum" : "classic";
        const auto text =
            row(scenario::harmless(each.origin), to_text(each.span), type,
                std::to_string(each.messages), scenario::harmless(state_of(each, prunes)));
        std::puts(with(colour, text).c_str());
    }
    if (prunes) std::printf("%zu of %zu deleted\n", deleted, all.size());
}

/// The first of them that is a queue and is not there; empty: all are.
std::string missing_of(rabbitmq::wire& on, const std::vector<std::string>& origins) {
    constexpr rabbitmq::channel_id asks = 1;
    for (const auto& each : origins) {
        const auto where = rabbitmq::read_address(each);
        if (!where || !where->is_queue() || !on.open_channel(asks)) continue;
        rabbitmq::queue_spec known;
        known.name = where->key;
        const auto there = on.declare(asks, known, true);
        if (!there && there.error().code == 404) return where->key;
        if (there) (void)on.close_channel(asks);
    }
    return {};
}

}  // namespace

int queues(const queues_options& how, bool prunes) {
    const auto settings = rabbitmq::parse_url(how.url);
    if (!settings) {
        for (const auto& each : settings.error()) fail(each, refused);
        return refused;
    }
    rabbitmq::prune_settings asked;
    asked.vhost = settings->vhost;
    asked.longest_wait = std::chrono::seconds{std::min(how.wait_seconds, longest_wait_seconds)};
    for (const auto each : how.constants) {
        const auto most = static_cast<std::uint64_t>(rabbitmq::longest_stretch.count());
        asked.spans.emplace_back(std::min(each, most));
    }
    asked.progress = show_progress;
    asked.pause = pause;
    auto quietly = *settings;
    quietly.heartbeat = std::chrono::seconds{0};  // nobody answers one during a pause
    const auto opened = rabbitmq::make_connector(quietly)->open("waybill queues");
    if (!opened) return fail(opened.error(), not_as_expected);
    auto& on = **opened;
    const auto all = prunes ? rabbitmq::prune_waiting_queues(on, how.origins, asked)
                            : rabbitmq::find_waiting_queues(on, how.origins, asked);
    if (!all) {
        const bool is_address = all.error().code == errc::argument;
        return fail(all.error(), is_address ? refused : not_as_expected);
    }
    if (const auto missing = all->empty() ? missing_of(on, how.origins) : ""; !missing.empty()) {
        on.close();
        std::fprintf(stderr, "There is no queue %s in the virtual host, and none waits for it.\n",
                     scenario::harmless(missing).c_str());
        return refused;
    }
    on.close();
    print(*all, how, prunes);
    const bool has_lost = std::ranges::any_of(*all, &found_queue::gone_along);
    return has_lost ? not_as_expected : as_expected;
}

}  // namespace waybill::tool
