#include "demo/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace demo {

namespace {

constexpr std::string_view hide_cursor = "\x1b[?25l";
constexpr std::string_view show_cursor = "\x1b[?25h";
constexpr std::string_view to_end_of_line = "\x1b[K";
constexpr std::string_view to_end_of_screen = "\x1b[J";

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::size_t number_in(const char* name) {
    const auto text = environment(name);
    std::size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// What the locale says; a terminal of today where it says nothing.
bool writes_utf8() {
    for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const auto locale = environment(name);
        if (locale.empty()) continue;
        const auto charset = locale.find('.');
        return charset == std::string_view::npos || locale.substr(charset).starts_with(".UTF") ||
               locale.substr(charset).starts_with(".utf");
    }
    return true;
}

std::string_view colour_of(look as) {
    switch (as) {
        case look::plain:
            return "";
        case look::strong:
            return "\x1b[1m";
        case look::faint:
            return "\x1b[2m";
        case look::charged:
            return "\x1b[32m";
        case look::declined:
            return "\x1b[33m";
        case look::dead:
            return "\x1b[31m";
        case look::undecodable:
            return "\x1b[35m";
        case look::waiting:
            return "\x1b[36m";
    }
    return "";
}

/// Where to break a text that is longer than `columns`: at its last space that fits, else in the
/// middle of a word, never of a character.
std::size_t break_of(std::string_view text, std::size_t columns) {
    std::size_t end = 0;
    std::size_t space = 0;
    for (std::size_t used = 0; end < text.size(); ++end) {
        if ((text[end] & 0xc0) == 0x80) continue;
        if (text[end] == ' ') space = end;
        if (used++ == columns) break;
    }
    return space != 0 ? space : end;
}

}  // namespace

screen::screen(int descriptor) : descriptor_{descriptor} {
    const auto kind = environment("TERM");
    live_ = ::isatty(descriptor) == 1 && !kind.empty() && kind != "dumb";
    colours_ = live_ && environment("NO_COLOR").empty();
    if (live_ && kind != "linux" && writes_utf8()) marks_ = &fine_glyphs;
    columns_ = window().columns;
}

screen::~screen() { clear(); }

screen::size screen::window() const {
    size found{80, 24};
    winsize told{};
    if (::ioctl(descriptor_, TIOCGWINSZ, &told) == 0 && told.ws_col != 0 && told.ws_row != 0) {
        found = {told.ws_col, told.ws_row};
    }
    if (const auto asked = number_in("COLUMNS"); asked != 0) {
        found.columns = std::min(found.columns, asked);
    }
    return found;
}

void screen::say(const picture& line) {
    go_back();
    add_line(line);
    if (live_) out_ += to_end_of_screen;
    flush();
}

void screen::say_wrapped(const picture& begin, std::string_view text, std::size_t indent) {
    constexpr std::size_t least = 16;
    picture line = begin;
    auto used = width_of(begin);
    while (live_ && used + width_of({{std::string{text}}}) > columns_ &&
           indent + least < columns_) {
        const auto room = used + least > columns_ ? 0 : columns_ - used;
        const auto end = room == 0 ? 0 : break_of(text, room);
        line.push_back({std::string{text.substr(0, end)}});
        say(line);
        text.remove_prefix(text[end] == ' ' ? end + 1 : end);
        line = {{std::string(indent, ' ')}};
        used = indent;
    }
    line.push_back({std::string{text}});
    say(line);
}

frame screen::frame_for(const board& of, std::chrono::nanoseconds now) {
    if (label_ == 0) {
        label_ = 5;
        for (std::size_t index = 0; index < of.size(); ++index) {
            label_ = std::max(label_, label_of(of.at(index)).size());
        }
    }
    frame made;
    made.label = label_;
    made.marks = marks_;
    made.live = live_;
    made.now = now;
    made.tick = tick_++;
    // The last column stays free: a terminal wraps when it is written to.
    if (live_) made.columns = std::max<std::size_t>(columns_, 2) - 1;
    return made;
}

void screen::draw(board& of, std::chrono::nanoseconds now) {
    if (failure_ != 0) return;
    go_back();
    const auto in = frame_for(of, now);
    for (const auto index : of.take_ended()) add_line(draw_row(of.at(index), in));
    if (live_) add_block(of, in);
    flush();
}

void screen::clear() {
    if (!live_) return;
    go_back();
    out_ += to_end_of_screen;
    out_ += show_cursor;
    flush();
}

/// Goes back to where the block begins. In a window that was made narrower, a line of it takes
/// several. Nothing is erased before something stands in its place: that would flicker.
void screen::go_back() {
    columns_ = window().columns;
    if (drawn_.empty()) return;
    std::size_t lines = 0;
    for (const auto width : drawn_) {
        lines += std::max<std::size_t>(1, (width + columns_ - 1) / columns_);
    }
    out_ += '\r';
    if (lines > 1) out_ += "\x1b[" + std::to_string(lines - 1) + 'A';
    drawn_.clear();
}

void screen::add_line(const picture& line) {
    if (live_) out_ += to_end_of_line;
    for (const auto& each : line) {
        const auto colour = colours_ ? colour_of(each.as) : "";
        out_ += colour;
        out_ += each.text;
        if (!colour.empty()) out_ += "\x1b[0m";
    }
    out_ += '\n';
}

void screen::add_block(const board& of, const frame& in) {
    const auto so_far = of.count();
    const auto room = std::max<std::size_t>(window().rows, 2) - 2;
    const auto add = [&](const picture& line) {
        add_line(line);
        drawn_.push_back(width_of(line));
    };
    out_ += hide_cursor;
    for (const auto index : of.under_way()) {
        if (drawn_.size() == room) break;
        add(draw_row(of.at(index), in));
    }
    add(draw_progress(so_far, of.size(), in));
    out_.pop_back();
    out_ += to_end_of_screen;
}

void screen::flush() {
    std::string_view rest = out_;
    while (!rest.empty() && failure_ == 0) {
        const auto written = ::write(descriptor_, rest.data(), rest.size());
        if (written >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR && errno != EAGAIN) {
            failure_ = errno;
        }
    }
    out_.clear();
}

}  // namespace demo
