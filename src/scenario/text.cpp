#include "scenario/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace waybill::scenario {
namespace {

constexpr std::size_t page = 100;
constexpr std::size_t time_width = 9;
constexpr std::size_t widest_name = 24;
constexpr std::size_t widest_payload = 40;
constexpr std::size_t widest_text = 60;

/// The member as text that is harmless; empty where it is absent or null.
std::string text_in(const json::value& line, std::string_view name) {
    const auto* found = line.find(name);
    if (found == nullptr || found->is_null()) return {};
    return harmless(found->text() != nullptr ? *found->text() : json::to_text(*found));
}

std::string short_text_in(const json::value& line, std::string_view name) {
    return cut_to(text_in(line, name), widest_text);
}

nanoseconds time_in(const json::value& line, std::string_view name) {
    const auto* ms = line.find(name);
    if (ms == nullptr) return nanoseconds{0};
    if (const auto whole = ms->integer()) return std::chrono::milliseconds{*whole};
    const auto* part = ms->floating();
    return nanoseconds{part != nullptr ? std::llround(*part * 1e6) : 0};
}

/// In quotes, but for what is JSON, which stands as it is.
std::string shown(const std::string& payload) {
    constexpr std::size_t enough = 4096;  // a payload may be large, and is cut
    const bool is_short = payload.size() <= enough;
    const bool may_be = is_short && (payload.starts_with('{') || payload.starts_with('['));
    const bool is_json = may_be && json::parse(payload).has_value();
    const auto text = is_json ? payload : json::to_text(payload.substr(0, enough));
    return cut_to(harmless(text), widest_payload);
}

std::string payload_in(const json::value& line) {
    const auto* text = line.find("payload");
    if (text != nullptr && text->text() != nullptr) return shown(*text->text());
    const auto* bytes = line.find("payload_base64");
    return bytes != nullptr && bytes->text() != nullptr ? "base64 " + shown(*bytes->text())
                                                        : std::string{};
}

std::string header_in(const json::value& line, std::string_view name) {
    const auto* all = line.find("headers");
    if (all == nullptr || all->items() == nullptr) return {};
    for (const auto& each : *all->items()) {
        const auto* pair = each.items();
        if (pair == nullptr || pair->size() != 2 || (*pair)[0].text() == nullptr) continue;
        const auto* is = (*pair)[1].text();
        if (*(*pair)[0].text() == name && is != nullptr) {
            return cut_to(harmless(*is), widest_text);
        }
    }
    return {};
}

std::string_view colour_of(std::string_view outcome) {
    if (outcome == "ack") return colour::green;
    if (outcome == "drop") return colour::magenta;
    return outcome == "dead_letter" ? colour::red : colour::yellow;
}

std::uint64_t count_in(const json::value* all, std::string_view name) {
    const auto* count = all != nullptr ? all->find(name) : nullptr;
    return count != nullptr ? count->unsigned_integer().value_or(0) : 0;
}

/// Adds the names of an object's members.
void add_names(const json::value* all, std::vector<std::string>& to) {
    if (all == nullptr || all->members() == nullptr) return;
    for (const auto& each : *all->members()) {
        if (std::ranges::find(to, each.name) == to.end()) to.push_back(each.name);
    }
}

using cells = std::vector<std::string>;

/// The first column to the left, the others to the right.
std::string lined_up(const std::vector<cells>& rows, const paint& with) {
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const auto& row : rows) {
        for (std::size_t at = 0; at < row.size(); ++at) {
            widths[at] = std::max(widths[at], columns_of(row[at]));
        }
    }
    std::string text;
    for (const auto& row : rows) {
        auto line = to_left(row[0], widths[0]);
        for (std::size_t at = 1; at < row.size(); ++at) {
            line += "  " + to_right(row[at], widths[at]);
        }
        text += with(&row == &rows.front() ? colour::dim : colour::none, line) + '\n';
    }
    return text;
}

std::string cell_of(std::uint64_t count) { return count == 0 ? "-" : std::to_string(count); }

std::vector<cells> table_of_subscriptions(const json::value& line, std::vector<std::string> names) {
    constexpr std::array<const char*, 6> kinds{"accepted", "requeued", "released",
                                               "rejected", "left",     "stale"};
    const auto* settled = line.find("settled");
    const auto* deliveries = line.find("deliveries");
    const auto* unsettled = line.find("unsettled");
    for (const auto* each : {deliveries, settled, unsettled}) add_names(each, names);
    std::vector<cells> rows{{"subscription", "deliveries"}};
    for (const auto& name : names) {
        rows.push_back({cut_to(harmless(name), widest_text), cell_of(count_in(deliveries, name))});
    }
    const auto add = [&](const char* title, auto count_of) {
        cells column;
        for (const auto& name : names) column.push_back(cell_of(count_of(name)));
        if (std::ranges::all_of(column, [](const auto& each) { return each == "-"; })) return;
        rows[0].emplace_back(title);
        for (std::size_t at = 0; at < column.size(); ++at) rows[at + 1].push_back(column[at]);
    };
    for (const auto* kind : kinds) {
        add(kind, [&](const auto& name) {
            return count_in(settled != nullptr ? settled->find(name) : nullptr, kind);
        });
    }
    add("unsettled", [&](const auto& name) { return count_in(unsettled, name); });
    return rows;
}

std::vector<cells> table_of_addresses(const json::value& line) {
    const auto* published = line.find("published");
    const auto* queued = line.find("queued");
    std::vector<std::string> names;
    for (const auto* each : {published, queued}) add_names(each, names);
    std::vector<cells> rows{{"address", "published", "queued"}};
    for (const auto& name : names) {
        rows.push_back({cut_to(harmless(name), widest_text), cell_of(count_in(published, name)),
                        cell_of(count_in(queued, name))});
    }
    return rows;
}

}  // namespace

void text_table::begin(const scenario& told) {
    for (const auto& each : told.subscriptions) {
        const auto& name = each.declared.name;
        names_.push_back(name);
        width_ = std::max(width_, std::min(widest_name, columns_of(harmless(name))));
    }
    if (told.name.empty()) return;
    std::fprintf(to_, "%s\n\n", paint_(colour::bold, harmless(told.name)).c_str());
}

void text_table::print(const std::string& time, const std::string& who, const std::string& what) {
    auto line = paint_(colour::dim, to_right(time, time_width)) + "  " +
                to_left(cut_to(who, std::max<std::size_t>(1, width_)), width_) + "  " + what;
    while (line.ends_with(' ')) line.pop_back();
    std::fprintf(to_, "%s\n", line.c_str());
}

void text_table::flush() {
    if (!open_.of.empty()) {
        const auto end = open_.what.find('\n');
        print(open_.time, open_.who, open_.what.substr(0, end));
        if (end != std::string::npos) print("", "", open_.what.substr(end + 1));
    }
    open_ = {};
}

/// The same moment is said once.
void text_table::row(const json::value& line, const std::string& what) {
    flush();
    const auto time = to_text(time_in(line, "at_ms"));
    open_.of = text_in(line, "subscription") + ' ' + text_in(line, "attempt") + ' ' + time;
    open_.time = time == last_time_ ? "" : time;
    open_.who = text_in(line, "subscription");
    open_.what = what;
    last_time_ = time;
}

/// Behind the open row, when it is about the same delivery at the same moment.
bool text_table::goes_on(const json::value& line, const std::string& what) {
    const auto of = text_in(line, "subscription") + ' ' + text_in(line, "attempt") + ' ' +
                    to_text(time_in(line, "at_ms"));
    if (of != open_.of || open_.is_settled) return false;
    open_.what += "  " + what;
    return true;
}

void text_table::see_delivery(const json::value& line) {
    const bool is_over = text_in(line, "event") == "exceeded";
    row(line, "delivery " + text_in(line, "attempt") + "  " + payload_in(line) +
                  (is_over ? "  " + paint_(colour::red, "ends on receipt") : ""));
}

void text_table::see_outcome(const json::value& line) {
    const auto outcome = text_in(line, "outcome");
    auto said = "→ " + outcome;
    if (outcome == "retry_after") said += ' ' + to_text(time_in(line, "delay_ms"));
    auto what = paint_(colour_of(outcome), said);
    const auto error = short_text_in(line, "error");
    if (!error.empty()) what += "  " + paint_(colour::dim, '(' + error + ')');
    if (!goes_on(line, what)) row(line, "delivery " + text_in(line, "attempt") + "  " + what);
}

void text_table::see_settled(const json::value& line) {
    const auto as = text_in(line, "as");
    if (!goes_on(line, paint_(colour::dim, as))) {
        row(line, paint_(colour::dim, "delivery " + text_in(line, "attempt") + "  " + as));
    }
    open_.is_settled = true;
}

std::string text_table::started(const json::value& line) {
    const auto counts = "started: counted by " + text_in(line, "counted_by") + ", delays in " +
                        text_in(line, "delays");
    const auto losses = "a kill loses " + text_in(line, "kill_loses") + ", a crash loop is " +
                        text_in(line, "crash_loop");
    auto& before = said_at_start_[text_in(line, "subscription")];
    const bool is_again = std::exchange(before, counts + losses) == counts + losses;
    if (is_again) return paint_(colour::dim, "started again");
    return paint_(colour::dim, counts) + '\n' + paint_(colour::dim, losses);
}

std::string text_table::published(const json::value& line) const {
    const auto why = text_in(line, "why");
    const auto* const what = why == "step"          ? "published to "
                             : why == "retry"       ? "copy to "
                             : why == "dead_letter" ? "dead letter to "
                             : why == "reply"       ? "reply to "
                             : why == "hop"         ? "waits on for "
                                                    : "handler publishes to ";
    auto text = what + short_text_in(line, "to");
    if (why == "dead_letter") text = paint_(colour::red, text);
    if (why == "step") text = paint_(colour::bold, text);
    text += "  " + payload_in(line);
    const auto reason = header_in(line, "waybill-dead-reason");
    if (why == "dead_letter" && !reason.empty()) text += "  (" + reason + ')';
    if (text_in(line, "confirmed") == "false") text += "  " + paint_(colour::red, "not taken");
    return text;
}

void text_table::see(const json::value& line) {
    const auto event = text_in(line, "event");
    if (event == "ended") return ended(line);
    if (event == "delivered" || event == "exceeded") return see_delivery(line);
    if (event == "outcome") return see_outcome(line);
    if (event == "settled") return see_settled(line);
    if (event == "refused") {
        auto what = text_in(line, "problem");
        if (const auto fix = text_in(line, "fix"); !fix.empty()) what += "; " + fix;
        refusals_.push_back({text_in(line, "subscription"), what});
    } else if (event == "started") {
        row(line, started(line));
    } else if (event == "published") {
        row(line, published(line));
    } else if (event == "stopped") {
        const auto pending = text_in(line, "pending_delays");
        row(line,
            paint_(colour::bold, "stopped: " + pending + (pending == "1" ? " delay" : " delays") +
                                     " pending, " + text_in(line, "lost") + " lost"));
    } else {
        const auto said = event + ": " + cut_to(text_in(line, "problem"), 2 * widest_text);
        row(line, paint_(colour::yellow, said));
    }
}

void text_table::print_refusals() {
    const auto count = refusals_.size();
    const bool is_server = std::ranges::all_of(refusals_, [](const auto& each) {
        return each.where.empty() && each.what.starts_with("amqp");
    });
    const auto title = is_server ? std::string{"The server cannot be used:"}
                                 : "The service is refused: " + std::to_string(count) +
                                       (count == 1 ? " problem." : " problems.");
    std::fprintf(to_, "%s\n", paint_(colour::red, title).c_str());
    for (const auto& each : refusals_) {
        std::fputs("\n", to_);
        if (!each.where.empty()) {
            std::fprintf(to_, "  %s\n", paint_(colour::bold, each.where).c_str());
        }
        for (const auto& row : in_lines(each.what, page - 4)) {
            std::fprintf(to_, "    %s\n", row.c_str());
        }
    }
}

void text_table::ended(const json::value& line) {
    flush();
    if (!refusals_.empty()) return print_refusals();
    const auto title = "ended at " + to_text(time_in(line, "at_ms"));
    std::fprintf(to_, "\n%s\n\n", paint_(colour::bold, title).c_str());
    const auto subscriptions = table_of_subscriptions(line, names_);
    if (subscriptions.size() > 1) std::fputs(lined_up(subscriptions, paint_).c_str(), to_);
    const auto addresses = table_of_addresses(line);
    if (addresses.size() > 1) {
        std::fprintf(to_, "\n%s", lined_up(addresses, paint_).c_str());
    }
    const auto* waiting = line.find("waiting");
    const auto count = waiting != nullptr ? waiting->unsigned_integer().value_or(0) : 0;
    if (count == 0) return;
    std::fprintf(to_, "\n%llu message%s\n", static_cast<unsigned long long>(count),
                 count == 1 ? " waits for its time." : "s wait for their time.");
}

std::string text_of(const std::vector<mistake>& mistakes, bool is_coloured) {
    constexpr std::size_t widest_path = 44;
    const paint with{is_coloured};
    const auto count = mistakes.size();
    auto text = with(colour::red, "The file is refused: " + std::to_string(count) +
                                      (count == 1 ? " mistake." : " mistakes.")) +
                "\n\n";
    std::size_t width = 0;
    for (const auto& each : mistakes) {
        width = std::max(width, std::min(widest_path, columns_of(harmless(each.path))));
    }
    for (const auto& each : mistakes) {
        auto path = harmless(each.path);
        if (columns_of(path) > width) {
            text += "  " + with(colour::bold, path) + '\n';
            path.clear();
        }
        auto before = with(colour::bold, to_left(path, width));
        for (const auto& line : in_lines(harmless(each.what), page - width - 4)) {
            text += "  " + before + "  " + line + '\n';
            before = std::string(width, ' ');
        }
    }
    return text;
}

}  // namespace waybill::scenario
