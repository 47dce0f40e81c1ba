#include "demo/board.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace demo {

board::board(std::span<const request_line> lines) : rows_(lines.size()) {
    for (std::size_t index = 0; index < lines.size(); ++index) {
        rows_[index].line = lines[index].number;
        if (lines[index].request) rows_[index].order = lines[index].request->order;
    }
}

void board::published(std::size_t index, std::chrono::nanoseconds at) {
    rows_[index].published = at;
    under_way_.insert(index);
    ++published_;
}

void board::apply(const event& what) {
    std::visit([this](const auto& each) { apply_one(each); }, what);
}

void board::apply_one(const handled& what) {
    ++deliveries_;
    const auto index = row_of(what.line);
    if (index) {
        auto& on = rows_[*index];
        on.order = what.order;
        on.steps.push_back({what.said, what.answer, what.at});
        ++on.deliveries;
        if (what.replied) unpaid_[what.order].push_back(*index);
    }
    if (what.answer.kind() == waybill::outcome_kind::drop) end(index, ending::declined, what.at);
}

void board::apply_one(const paid_arrived& what) {
    std::optional<std::size_t> index;
    if (const auto found = unpaid_.find(what.order); found != unpaid_.end()) {
        index = found->second.front();
        found->second.pop_front();
        if (found->second.empty()) unpaid_.erase(found);
    }
    end(index, ending::charged, what.at);
}

void board::apply_one(const dead_arrived& what) {
    const bool is_spent = what.with.text("waybill-dead-reason") != "decode";
    const auto index = row_of(what.line);
    if (index && !is_spent) {
        ++deliveries_;
        ++rows_[*index].deliveries;
    }
    end(index, is_spent ? ending::dead : ending::undecodable, what.at);
    if (!dead_letter_ || (is_spent && !dead_letter_is_spent_)) {
        dead_letter_ = what;
        dead_letter_is_spent_ = is_spent;
    }
}

void board::end(std::optional<std::size_t> index, ending how, std::chrono::nanoseconds at) {
    ++ends_[how];
    if (!index || under_way_.erase(*index) == 0) {
        ++surplus_;
        return;
    }
    rows_[*index].end = how;
    rows_[*index].ended = at;
    just_ended_.push_back(*index);
}

std::optional<std::size_t> board::row_of(std::size_t line) const {
    const auto found = std::ranges::lower_bound(rows_, line, {}, &row::line);
    if (found == rows_.end() || found->line != line) return std::nullopt;
    return static_cast<std::size_t>(found - rows_.begin());
}

std::vector<std::size_t> board::take_ended() { return std::exchange(just_ended_, {}); }

ledger board::count(std::size_t in_broker) const {
    const auto of = [this](ending how) {
        const auto found = ends_.find(how);
        return found == ends_.end() ? std::size_t{0} : found->second;
    };
    ledger sum;
    sum.in = published_;
    sum.charged = of(ending::charged);
    sum.declined = of(ending::declined);
    sum.dead = of(ending::dead);
    sum.undecodable = of(ending::undecodable);
    sum.waiting = std::min(in_broker, under_way_.size());
    sum.lost = under_way_.size() - sum.waiting;
    sum.surplus = surplus_;
    return sum;
}

}  // namespace demo
