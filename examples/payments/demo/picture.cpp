#include "demo/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace demo {

using std::chrono::nanoseconds;

namespace {

/// Room for the longest story without two neighbours alike, where there is room.
constexpr std::size_t usual_story = 58;

double seconds(nanoseconds span) { return std::chrono::duration<double>{span}.count(); }

std::size_t width_of(std::string_view text) noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char each) { return (each & 0xc0) != 0x80; }));
}

std::string repeated(std::string_view symbol, std::size_t times) {
    std::string text;
    while (times-- > 0) text += symbol;
    return text;
}

look look_of(ending how) {
    switch (how) {
        case ending::none:
            return look::waiting;
        case ending::charged:
            return look::charged;
        case ending::declined:
            return look::declined;
        case ending::dead:
            return look::dead;
        case ending::undecodable:
            return look::undecodable;
    }
    return look::plain;
}

std::string_view symbol_of(const row& of, const frame& in) {
    const auto& marks = *in.marks;
    switch (of.end) {
        case ending::none:
            return marks.spinner[(in.tick + of.line) % marks.spinner.size()];
        case ending::charged:
            return marks.charged;
        case ending::declined:
            return marks.declined;
        case ending::dead:
            return marks.dead;
        case ending::undecodable:
            return marks.undecodable;
    }
    return " ";
}

/// A wait as it passes, for a row that is redrawn.
std::string passing(const glyphs& marks, nanoseconds delay, nanoseconds passed) {
    constexpr std::size_t cells = 5;
    const auto share = std::clamp(seconds(passed) / seconds(delay), 0.0, 1.0);
    const auto full = std::min(cells, static_cast<std::size_t>(share * (cells + 1)));
    return repeated(marks.full, full) + repeated(marks.empty, cells - full);
}

/// The pieces of one delivery: what the provider said, and the wait that followed.
picture draw_step(const row& of, std::size_t index, const frame& in) {
    const auto& each = of.steps[index];
    const bool is_last = index + 1 == of.steps.size();
    if (is_last && (of.end == ending::charged || of.end == ending::declined)) return {};
    picture drawn{{std::string{word_of(each.said)}}};
    const auto delay = each.answer.delay();
    if (delay <= delay.zero() || (is_last && of.end == ending::dead)) return drawn;
    const bool passes = in.live && is_last && of.end == ending::none;
    drawn.push_back({passes ? passing(*in.marks, delay, in.now - each.at) : in_words(delay),
                     passes ? look::waiting : look::faint});
    return drawn;
}

bool same(const picture& a, const picture& b) {
    return std::ranges::equal(a, b, {}, &piece::text, &piece::text);
}

std::string_view end_of(const row& of) {
    switch (of.end) {
        case ending::none:
            return "";
        case ending::charged:
            return "charged";
        case ending::declined:
            return "declined";
        case ending::dead:
            return "dead";
        case ending::undecodable:
            return "undecodable";
    }
    return "";
}

picture joined(const std::vector<picture>& parts) {
    picture all;
    for (const auto& part : parts) {
        for (const auto& each : part) {
            if (!all.empty()) all.push_back({" "});
            all.push_back(each);
        }
    }
    return all;
}

/// Neighbours that look the same become one with a count.
std::vector<picture> counted(const std::vector<picture>& parts, const glyphs& marks) {
    std::vector<picture> fewer;
    for (std::size_t at = 0; at < parts.size();) {
        std::size_t end = at + 1;
        while (end < parts.size() && same(parts[at], parts[end])) ++end;
        fewer.push_back(parts[at]);
        if (end - at > 1) {
            fewer.back().push_back({fmt::format("{}{}", marks.times, end - at), look::faint});
        }
        at = end;
    }
    return fewer;
}

/// What happened to the message, as much of it as fits; the end is what matters.
picture draw_story(const row& of, const frame& in, std::size_t room) {
    std::vector<picture> parts;
    for (std::size_t index = 0; index < of.steps.size(); ++index) {
        if (auto part = draw_step(of, index, in); !part.empty()) parts.push_back(std::move(part));
    }
    if (of.end != ending::none) {
        auto text = std::string{end_of(of)};
        if (of.end == ending::undecodable) text += fmt::format(" (line {})", of.line);
        parts.push_back({{std::move(text), look_of(of.end)}});
    }
    auto story = joined(parts);
    if (width_of(story) <= room) return story;
    parts = counted(parts, *in.marks);
    story = joined(parts);
    while (width_of(story) > room && parts.size() > 1) {
        parts.erase(parts.begin());
        story = joined(parts);
        story.insert(story.begin(), {fmt::format("{} ", in.marks->more), look::faint});
    }
    return story;
}

/// "   3 deliveries 2.0 s"; in a narrow window the bare numbers.
std::string facts_of(const row& of, const frame& in) {
    constexpr std::size_t narrow = 64;
    const auto took = (of.end != ending::none ? of.ended : in.now) - of.published;
    const auto time = seconds(std::max(took, nanoseconds{0}));
    if (in.columns != 0 && in.columns < narrow) {
        return fmt::format("  {}{} {:.1f} s", of.deliveries, in.marks->times, time);
    }
    return fmt::format("   {} {} {:.1f} s", of.deliveries,
                       of.deliveries == 1 ? "delivery  " : "deliveries", time);
}

}  // namespace

std::size_t width_of(const picture& what) noexcept {
    std::size_t width = 0;
    for (const auto& each : what) width += width_of(each.text);
    return width;
}

picture cut(picture what, std::size_t columns, std::string_view mark) {
    if (width_of(what) <= columns) return what;
    picture shorter;
    std::size_t left = columns == 0 ? 0 : columns - 1;
    for (auto& each : what) {
        std::size_t bytes = 0;
        while (bytes < each.text.size() && left > 0) {
            do ++bytes;
            while (bytes < each.text.size() && (each.text[bytes] & 0xc0) == 0x80);
            --left;
        }
        each.text.resize(bytes);
        shorter.push_back(std::move(each));
        if (left == 0) break;
    }
    if (columns > 0) shorter.push_back({std::string{mark}, look::faint});
    return shorter;
}

std::string label_of(const row& of) {
    return of.order ? fmt::format("#{}", *of.order) : std::string{"#?"};
}

std::string in_words(nanoseconds span) {
    using std::chrono::milliseconds;
    const auto whole = std::chrono::duration_cast<milliseconds>(span);
    if (whole.count() < 1000) return fmt::format("{} ms", whole.count());
    return fmt::format("{} s", static_cast<double>(whole.count()) / 1000);
}

picture draw_row(const row& of, const frame& in) {
    picture drawn;
    if (in.live) {
        drawn.push_back({fmt::format("{} ", symbol_of(of, in)), look_of(of.end)});
    }
    const auto label = label_of(of);
    const bool ended = of.end != ending::none;
    drawn.push_back({fmt::format("{:<{}} ", label, in.label), ended ? look::strong : look::plain});

    const auto facts = facts_of(of, in);
    const auto fixed = width_of(drawn) + width_of(facts);
    auto room = usual_story;
    if (in.columns != 0) {
        room = in.columns > fixed + 8 ? std::min(room, in.columns - fixed) : std::size_t{8};
    }
    auto story = draw_story(of, in, room);
    const auto used = width_of(story);
    drawn.insert(drawn.end(), story.begin(), story.end());
    if (used < room) drawn.push_back({std::string(room - used, ' ')});
    drawn.push_back({facts, look::faint});
    return in.columns == 0 ? drawn : cut(std::move(drawn), in.columns, in.marks->more);
}

picture draw_progress(const ledger& so_far, std::size_t total, const frame& in) {
    constexpr std::size_t cells = 20;
    const auto full = total == 0 ? cells : so_far.ended() * cells / total;
    picture drawn{{repeated(in.marks->line, std::min(full, cells)), look::charged},
                  {repeated(in.marks->line, cells - std::min(full, cells)), look::faint},
                  {fmt::format(" {} of {}", so_far.ended(), total), look::strong}};
    const auto add = [&](std::size_t count, std::string_view word, look as) {
        if (count == 0) return;
        drawn.push_back({"  "});
        drawn.push_back({fmt::format("{} {}", count, word), as});
    };
    add(so_far.charged, "charged", look::charged);
    add(so_far.declined, "declined", look::declined);
    add(so_far.dead, "dead", look::dead);
    add(so_far.undecodable, "undecodable", look::undecodable);
    add(so_far.in - std::min(so_far.in, so_far.ended()), "under way", look::waiting);
    return cut(std::move(drawn), in.columns, in.marks->more);
}

picture draw_bar(const ledger& of, const frame& in) {
    const auto width = std::min<std::size_t>(in.columns, 72);
    const std::array parts{
        std::pair{of.charged, look::charged}, std::pair{of.declined, look::declined},
        std::pair{of.dead, look::dead},       std::pair{of.undecodable, look::undecodable},
        std::pair{of.waiting, look::waiting}, std::pair{of.lost, look::faint}};
    std::size_t total = 0;
    for (const auto& [count, as] : parts) total += count;
    picture drawn;
    std::size_t before = 0;
    for (const auto& [count, as] : parts) {
        if (count == 0) continue;
        const auto from = before * width / total;
        before += count;
        const auto cells = std::max<std::size_t>(before * width / total - from, 1);
        drawn.push_back({repeated(in.marks->block, cells), as});
    }
    return cut(std::move(drawn), width, in.marks->block);
}

picture draw_ledger(const ledger& of) {
    picture drawn;
    const auto text = of.text();
    constexpr std::array words{std::pair{std::string_view{"charged"}, look::charged},
                               std::pair{std::string_view{"declined"}, look::declined},
                               std::pair{std::string_view{"dead"}, look::dead},
                               std::pair{std::string_view{"undecodable"}, look::undecodable},
                               std::pair{std::string_view{"waiting"}, look::waiting}};
    std::string_view rest = text;
    for (const auto& [word, as] : words) {
        const auto end = rest.find(word);
        if (end == std::string_view::npos) continue;
        const auto number = rest.substr(0, end).find_last_of("+=") + 2;
        drawn.push_back({std::string{rest.substr(0, number)}, look::strong});
        drawn.push_back({std::string{rest.substr(number, end + word.size() - number)}, as});
        rest.remove_prefix(end + word.size());
    }
    drawn.push_back({std::string{rest}, of.balances() ? look::strong : look::dead});
    return drawn;
}

}  // namespace demo
