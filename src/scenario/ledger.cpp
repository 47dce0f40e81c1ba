#include "scenario/ledger.hpp"

#include <algorithm>

namespace waybill::scenario {
namespace {

constexpr std::size_t most_shown = 24;

}  // namespace

std::uint64_t ledger::publish(std::string_view address, std::span<const std::byte> payload) {
    const std::string_view text{reinterpret_cast<const char*>(payload.data()), payload.size()};
    origins_.push_back({std::string{address}, std::string{text.substr(0, most_shown)}});
    return origins_.size();
}

std::uint32_t ledger::number_of(std::string_view queue) {
    const auto found = numbers_.find(queue);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(queues_.size());
    queues_.emplace_back(queue);
    numbers_.emplace(queue, number);
    return number;
}

void ledger::post(std::string_view queue, std::uint64_t id, std::int32_t copies) {
    const auto number = number_of(queue);
    auto& all = accounts_[id];
    auto found = std::ranges::find(all, number, &account::queue);
    if (found == all.end()) found = all.insert(all.end(), {number, 0});
    found->copies += copies;
    if (found->copies == 0) all.erase(found);
    if (all.empty()) accounts_.erase(id);
}

std::int32_t ledger::copies(std::string_view queue, std::uint64_t id) const {
    const auto number = numbers_.find(queue);
    const auto all = accounts_.find(id);
    if (number == numbers_.end() || all == accounts_.end()) return 0;
    const auto found = std::ranges::find(all->second, number->second, &account::queue);
    return found != all->second.end() ? found->copies : 0;
}

bool ledger::is_empty(std::string_view queue) const {
    const auto number = numbers_.find(queue);
    if (number == numbers_.end()) return true;
    return std::ranges::none_of(accounts_, [&](const auto& of_one) {
        return std::ranges::any_of(of_one.second, [&](const account& each) {
            return each.queue == number->second && each.copies > 0;
        });
    });
}

void ledger::write_off(std::string_view queue) {
    const auto number = number_of(queue);
    for (auto at = accounts_.begin(); at != accounts_.end();) {
        std::erase_if(at->second, [number](const auto& one) { return one.queue == number; });
        at = at->second.empty() ? accounts_.erase(at) : std::next(at);
    }
}

std::vector<ledger::imbalance> ledger::balance() const {
    std::map<std::pair<std::uint64_t, std::string>, std::int32_t> open;
    for (const auto& [id, all] : accounts_) {
        for (const auto& one : all) open[{id, queues_[one.queue]}] = one.copies;
    }
    std::vector<imbalance> wrong;
    for (const auto& [where, copies] : open) {
        wrong.push_back({copies > 0, describe(where.first) + " in " + where.second});
    }
    return wrong;
}

std::string ledger::describe(std::uint64_t id) const {
    auto text = "message " + std::to_string(id);
    if (id == 0 || id > origins_.size()) return text;
    const auto& from = origins_[id - 1];
    json::value payload{from.payload};
    return text + " (" + json::to_text(payload) + ", sent to " + from.address + ")";
}

}  // namespace waybill::scenario
