#include "rule.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <sstream>
#include <utility>

namespace faults {
namespace {

/// A text's words, taken from the front.
class words {
public:
    explicit words(std::string_view text) {
        std::istringstream stream{std::string{text}};
        for (std::string each; stream >> each;) words_.push_back(each);
    }

    [[nodiscard]] bool done() const noexcept { return next_ == words_.size(); }
    [[nodiscard]] std::string peek() const { return done() ? std::string{} : words_[next_]; }
    std::string take() { return done() ? std::string{} : words_[next_++]; }
    bool take(std::string_view word) {
        if (peek() != word) return false;
        ++next_;
        return true;
    }
    template <std::integral Number>
    std::optional<Number> number() {
        const auto text = peek();
        Number value{};
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
        ++next_;
        return value;
    }

private:
    std::vector<std::string> words_;
    std::size_t next_ = 0;
};

std::unexpected<std::string> wrong(std::string sentence) {
    return std::unexpected{std::move(sentence)};
}

std::optional<side> take_side(words& text) {
    if (text.take("client")) return side::client;
    if (text.take("server")) return side::server;
    return std::nullopt;
}

std::expected<action, std::string> take_cut(words& text) {
    action act;
    act.all = text.take("all");
    if (text.take("close")) {
        act.what = deed::cut_close;
    } else if (!text.take("reset")) {
        return wrong("A cut is `cut reset` or `cut close`, with `all` between for all.");
    }
    return act;
}

std::expected<action, std::string> take_stall(words& text) {
    action act;
    act.what = deed::stall;
    const auto time = text.number<std::int64_t>();
    if (!time || *time < 0) return wrong("A stall takes its milliseconds, as in `stall 500`.");
    act.time = std::chrono::milliseconds{*time};
    act.only = take_side(text);
    return act;
}

std::expected<action, std::string> take_split(words& text) {
    action act;
    act.what = deed::split_off;
    if (text.take("bytes")) {
        act.what = deed::split_bytes;
    } else if (text.take("random")) {
        act.what = deed::split_random;
    } else if (!text.take("off")) {
        return wrong("A split is `split bytes`, `split random` or `split off`.");
    }
    return act;
}

std::expected<action, std::string> take_kill(words& text) {
    action act;
    act.what = deed::kill;
    const auto process = text.number<pid_t>();
    // 0 and below mean groups of processes, of which this one may be a member.
    if (!process || *process <= 1) return wrong("A kill takes a process, as in `kill 4711`.");
    act.process = *process;
    return act;
}

std::expected<action, std::string> take_action(words& text) {
    const auto word = text.take();
    if (word == "cut") return take_cut(text);
    if (word == "stall") return take_stall(text);
    if (word == "split") return take_split(text);
    if (word == "kill") return take_kill(text);
    action act;
    if (word == "hold") {
        act.what = deed::hold;
        act.only = take_side(text);
    } else if (word == "release") {
        act.what = deed::release;
    } else if (word == "refuse") {
        act.what = deed::refuse;
    } else if (word == "allow") {
        act.what = deed::allow;
    } else {
        return wrong("\"" + word + "\" is no action.");
    }
    return act;
}

bool is_what(std::string_view name) {
    constexpr auto others = std::to_array<std::string_view>(
        {"frame", "byte", "header", "body", "heartbeat", "protocol"});
    return std::ranges::find(others, name) != others.end() || is_method_name(name);
}

/// Takes WHERE into the rule; false when a number is missing.
bool take_where(words& text, rule& made) {
    made.at = 0;
    if (text.take("after")) {
        made.at.reset();
    } else if (text.take("inside")) {
        made.at = text.number<std::size_t>();
        return made.at.has_value();
    } else {
        text.take("before");
    }
    return true;
}

}  // namespace

std::expected<action, std::string> read_action(std::string_view text) {
    words all{text};
    auto act = take_action(all);
    if (act && !all.done()) return wrong("\"" + all.peek() + "\" is left over.");
    return act;
}

std::expected<rule, std::string> read_rule(std::string_view text) {
    words all{text};
    rule made;
    made.from = take_side(all);
    if (!made.from && !all.take("any")) return wrong("A rule begins with client, server or any.");
    made.what = all.take();
    if (!is_what(made.what)) return wrong("\"" + made.what + "\" is nothing that passes.");
    const auto number = all.number<std::uint64_t>();
    if (!number || (*number == 0 && made.what != "byte")) {
        return wrong("Behind " + made.what + " comes the how-manieth, from 1.");
    }
    made.number = *number;
    if (!take_where(all, made)) return wrong("Behind `inside` comes how many bytes pass first.");
    auto act = take_action(all);
    if (!act) return wrong(act.error());
    made.act = *std::move(act);
    made.again = all.take("again");
    if (!all.done()) return wrong("\"" + all.peek() + "\" is left over.");
    return made;
}

std::optional<std::size_t> rule_book::place(counted& each, side from, const piece& passing) {
    const auto& one = each.one;
    const auto size = passing.bytes.size();
    if (one.from && *one.from != from) return std::nullopt;
    if (one.what == "byte") {
        // A place between two pieces belongs to the one that ends there.
        const bool first = one.number == 0 && passing.begins == 0;
        const bool within = one.number > passing.begins && one.number <= passing.begins + size;
        if (!first && !within) return std::nullopt;
        return static_cast<std::size_t>(one.number - passing.begins);
    }
    const bool any = one.what == "frame" && passing.kind != piece_kind::raw;
    if (!any && one.what != passing.name()) return std::nullopt;
    if (++each.seen != one.number) return std::nullopt;
    each.seen = 0;
    return std::min(one.at.value_or(size), size);
}

std::vector<due_action> rule_book::meet(side from, const piece& passing) {
    std::vector<due_action> due;
    std::vector<counted> staying;
    for (auto& each : rules_) {
        const auto at = place(each, from, passing);
        if (at) {
            const auto behind = std::ranges::upper_bound(due, *at, {}, &due_action::at);
            due.insert(behind, {*at, each.one.act});
        }
        if (!at || each.one.again) staying.push_back(std::move(each));
    }
    rules_ = std::move(staying);
    return due;
}

}  // namespace faults
