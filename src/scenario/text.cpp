#include "scenario/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace waybill::scenario {
namespace {

constexpr std::string_view bold = "\033[1m";
constexpr std::string_view dim = "\033[2m";
constexpr std::string_view red = "\033[31m";
constexpr std::string_view green = "\033[32m";
constexpr std::string_view yellow = "\033[33m";
constexpr std::string_view magenta = "\033[35m";
constexpr std::string_view plain;

constexpr std::size_t time_width = 10;

std::string text_of(const json::value& line, std::string_view name) {
    const auto* found = line.find(name);
    if (found == nullptr) return {};
    return found->text() != nullptr ? *found->text() : json::to_text(*found);
}

nanoseconds time_in(const json::value& ms) {
    if (const auto whole = ms.integer()) return std::chrono::milliseconds{*whole};
    const auto* part = ms.floating();
    return part != nullptr ? nanoseconds{static_cast<std::int64_t>(*part * 1e6)} : nanoseconds{0};
}

std::string payload_of(const json::value& line) {
    constexpr std::size_t most = 40;
    const auto* text = line.find("payload");
    if (text == nullptr || text->text() == nullptr) return "(bytes)";
    auto shown = json::to_text(*text);
    // Cut between characters: a continuation byte is never the first that is left out.
    if (shown.size() > most) {
        auto end = most;
        while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0) == 0x80) --end;
        shown = shown.substr(0, end) + "…\"";
    }
    return shown;
}

std::string header_in(const json::value& line, std::string_view name) {
    const auto* all = line.find("headers");
    if (all == nullptr || all->items() == nullptr) return {};
    for (const auto& each : *all->items()) {
        const auto* pair = each.items();
        if (pair != nullptr && pair->size() == 2 && *(*pair)[0].text() == name) {
            return (*pair)[1].text() != nullptr ? *(*pair)[1].text() : json::to_text((*pair)[1]);
        }
    }
    return {};
}

std::string published_text(const json::value& line) {
    const auto why = text_of(line, "why");
    auto text = why == "step"          ? "published to "
                : why == "retry"       ? "copy to "
                : why == "dead_letter" ? "dead letter to "
                : why == "reply"       ? "reply to "
                                       : "handler publishes to ";
    auto whole = text + text_of(line, "to") + "  " + payload_of(line);
    if (why == "dead_letter") {
        const auto reason = header_in(line, "waybill-dead-reason");
        if (!reason.empty()) whole += "  (" + reason + ")";
    }
    if (text_of(line, "confirmed") == "false") whole += "  NOT CONFIRMED";
    return whole;
}

std::string list_of(const json::value& line, std::string_view name) {
    const auto* all = line.find(name);
    std::string text;
    if (all == nullptr || all->members() == nullptr) return text;
    for (const auto& [key, is] : *all->members()) {
        text += (text.empty() ? "" : ", ") + key + ' ' + json::to_text(is);
    }
    return text;
}

}  // namespace

text_table::text_table(std::FILE* to)
    : to_{to}, is_coloured_{isatty(fileno(to)) != 0 && std::getenv("NO_COLOR") == nullptr} {}

void text_table::begin(const scenario& told) {
    for (const auto& each : told.subscriptions) {
        width_ = std::max(width_, each.declared.name.size());
    }
    if (!told.name.empty()) row("", "", told.name, bold);
}

void text_table::row(std::string_view time, std::string_view who, std::string_view what,
                     std::string_view color) {
    const auto pad = [](std::string_view text, std::size_t width) {
        return std::string(text.size() < width ? width - text.size() : 0, ' ');
    };
    std::string line;
    line += pad(time, time_width);
    line += time;
    line += "  ";
    line += who;
    line += pad(who, width_);
    line += "  ";
    if (is_coloured_) line += color;
    line += what;
    if (is_coloured_ && !color.empty()) line += "\033[0m";
    while (!line.empty() && line.back() == ' ') line.pop_back();
    std::fprintf(to_, "%s\n", line.c_str());
}

void text_table::see(const json::value& line) {
    const auto event = text_of(line, "event");
    if (event == "ended") return ended(line);
    // The same moment is said once.
    auto time = to_text(time_in(*line.find("at_ms")));
    const auto shown = time == last_time_ ? std::string{} : time;
    last_time_ = time;
    const auto who = text_of(line, "subscription");
    const auto say = [&](const std::string& what, std::string_view color) {
        row(shown, who, what, color);
    };
    const auto attempt = text_of(line, "attempt");
    if (event == "started") {
        say("started: counted by " + text_of(line, "counted_by") + ", delays in " +
                text_of(line, "delays") + ", a kill loses " + text_of(line, "kill_loses") +
                ", a crash loop is " + text_of(line, "crash_loop"),
            dim);
    } else if (event == "refused") {
        say("refused: " + text_of(line, "problem") + ". " + text_of(line, "fix"), red);
    } else if (event == "delivered") {
        say("delivery " + attempt + "  " + payload_of(line), plain);
    } else if (event == "exceeded") {
        say("delivery " + attempt + "  " + payload_of(line) + " ends on receipt", red);
    } else if (event == "outcome") {
        const auto outcome = text_of(line, "outcome");
        const auto* delay = line.find("delay_ms");
        const bool waits = outcome == "retry_after";
        const auto error = text_of(line, "error");
        say("→ " + outcome + (waits ? ' ' + to_text(time_in(*delay)) : "") +
                (error.empty() ? "" : "  (" + error + ")"),
            outcome == "ack"    ? green
            : outcome == "drop" ? magenta
                                : yellow);
    } else if (event == "published") {
        const auto why = text_of(line, "why");
        say(published_text(line), why == "dead_letter" ? red : why == "step" ? bold : plain);
    } else if (event == "settled") {
        say("  settled: " + text_of(line, "as"), dim);
    } else if (event == "stopped") {
        say("stopped: " + text_of(line, "pending_delays") + " delays pending, " +
                text_of(line, "lost") + " lost",
            bold);
    } else {
        say(event + ": " + text_of(line, "problem"), yellow);
    }
}

void text_table::ended(const json::value& line) {
    row(to_text(time_in(*line.find("at_ms"))), "", "ended", bold);
    const auto say = [&](const char* what, const std::string& all) {
        if (!all.empty()) row("", what, all, plain);
    };
    say("deliveries", list_of(line, "deliveries"));
    say("published", list_of(line, "published"));
    say("queued", list_of(line, "queued"));
    say("unsettled", list_of(line, "unsettled"));
    const auto waiting = text_of(line, "waiting");
    if (waiting != "0") say("waiting", waiting);
}

}  // namespace waybill::scenario
