/// Where the demo draws: a terminal, whose unfinished rows are redrawn in place, or plain lines.
///
/// On a terminal finished rows rise above a block of unfinished ones that always fits the window,
/// so that any number of messages can be watched in a window of any size. Belongs to one thread.
#pragma once

#include "demo/board.hpp"
#include "demo/picture.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace demo {

class screen {
public:
    /// Looks at the descriptor and at TERM, NO_COLOR and COLUMNS. Not closed.
    explicit screen(int descriptor);
    ~screen();
    screen(const screen&) = delete;
    screen& operator=(const screen&) = delete;

    /// One line, above the block.
    void say(const picture& line);
    void say(std::string text, look as = look::plain) { say(picture{{std::move(text), as}}); }
    /// On a terminal, broken into lines that fit, the second and further ones indented.
    void say_wrapped(const picture& begin, std::string_view text, std::size_t indent);

    /// Rows that ended since the last call, and the block as it is now.
    void draw(board& of, std::chrono::nanoseconds now);
    /// Takes the block away.
    void clear();

    [[nodiscard]] bool has_colours() const noexcept { return colours_; }
    [[nodiscard]] const glyphs& marks() const noexcept { return *marks_; }
    /// 0 where lines may be as long as they like.
    [[nodiscard]] std::size_t columns() const noexcept { return live_ ? columns_ : 0; }
    /// The errno of a write that failed; nothing is written after it.
    [[nodiscard]] int failure() const noexcept { return failure_; }

private:
    struct size {
        std::size_t columns;
        std::size_t rows;
    };
    [[nodiscard]] size window() const;
    [[nodiscard]] frame frame_for(const board& of, std::chrono::nanoseconds now);
    void go_back();
    void add_line(const picture& line);
    void add_block(const board& of, const frame& in);
    void flush();

    int descriptor_;
    bool live_ = false;
    bool colours_ = false;
    const glyphs* marks_ = &plain_glyphs;
    std::size_t columns_ = 0;
    std::size_t label_ = 0;
    std::size_t tick_ = 0;
    std::vector<std::size_t> drawn_;  ///< widths of the block's lines
    std::string out_;
    int failure_ = 0;
};

}  // namespace demo
