/// A terminal as far as the demo needs one: what a person would see.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace demo {

class terminal {
public:
    terminal(std::size_t columns, std::size_t rows) : columns_{columns}, rows_{rows}, lines_(1) {}

    void write(std::string_view bytes) {
        for (std::size_t at = 0; at < bytes.size();) at += one(bytes.substr(at));
    }

    /// Everything from the first line on, what has scrolled away included; trailing blanks cut.
    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> all;
        for (const auto& line : lines_) {
            std::string text;
            for (const auto& cell : line) text += cell.empty() ? " " : cell;
            text.erase(text.find_last_not_of(' ') + 1);
            all.push_back(std::move(text));
        }
        return all;
    }
    [[nodiscard]] bool cursor_is_shown() const noexcept { return cursor_is_shown_; }
    /// A row was longer than the window, or the cursor was sent above it.
    [[nodiscard]] bool is_garbled() const noexcept { return garbled_; }
    [[nodiscard]] std::size_t colours() const noexcept { return colours_; }

private:
    std::size_t one(std::string_view rest) {
        if (rest.starts_with("\x1b[")) return command(rest);
        if (rest[0] == '\n') {
            if (++line_ == lines_.size()) lines_.emplace_back();
            column_ = 0;
            return 1;
        }
        if (rest[0] == '\r') {
            column_ = 0;
            return 1;
        }
        std::size_t length = 1;
        while (length < rest.size() && (rest[length] & 0xc0) == 0x80) ++length;
        if (column_ == columns_) wrap();
        auto& line = lines_[line_];
        if (line.size() <= column_) line.resize(column_ + 1);
        line[column_++] = rest.substr(0, length);
        return length;
    }

    /// Text may take several lines, what is redrawn may not: it begins with a symbol.
    void wrap() {
        const auto& first = lines_[line_].front();
        if (first.size() > 1 && first != "█") garbled_ = true;
        if (++line_ == lines_.size()) lines_.emplace_back();
        column_ = 0;
    }

    std::size_t command(std::string_view rest) {
        std::size_t end = 2;
        while (end < rest.size() && (rest[end] < '@' || rest[end] > '~')) ++end;
        const std::string number{rest.substr(2, end - 2)};
        switch (end < rest.size() ? rest[end] : '?') {
            case 'A':
                up(number.empty() ? 1 : std::stoul(number));
                break;
            case 'K':
                erase_line();
                break;
            case 'J':
                erase_line();
                lines_.resize(line_ + 1);
                break;
            case 'h':
                cursor_is_shown_ = true;
                break;
            case 'l':
                cursor_is_shown_ = false;
                break;
            case 'm':
                ++colours_;
                break;
            default:
                garbled_ = true;
        }
        return end + 1;
    }

    void up(std::size_t count) {
        const auto top = lines_.size() > rows_ ? lines_.size() - rows_ : 0;
        if (line_ < top + count) garbled_ = true;
        line_ -= std::min(count, line_);
    }
    void erase_line() {
        if (lines_[line_].size() > column_) lines_[line_].resize(column_);
    }

    std::size_t columns_;
    std::size_t rows_;
    std::vector<std::vector<std::string>> lines_;
    std::size_t line_ = 0;
    std::size_t column_ = 0;
    bool cursor_is_shown_ = true;
    bool garbled_ = false;
    std::size_t colours_ = 0;
};

}  // namespace demo
