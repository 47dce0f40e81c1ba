#include "transport/memory/routes.hpp"

#include "transport/memory/pattern.hpp"

#include <utility>

namespace waybill::memory {
namespace {

/// In front of a fan-out queue's key. No source's name holds a control character.
constexpr const char* fan_out_mark = "\n";

}  // namespace

address& routes::make(std::string_view name, std::uint64_t hash) {
    if ((addresses_.size() + 1) * 2 > table_.size()) grow();
    addresses_.push_back(std::make_unique<address>());
    auto& made = *addresses_.back();
    made.name = name;
    auto at = hash & mask_;
    while (table_[at].at != nullptr) at = (at + 1) & mask_;
    table_[at] = {hash, &made};
    return made;
}

void routes::grow() {
    std::vector<slot> wider(table_.size() * 2);
    const auto mask = wider.size() - 1;
    for (const auto& each : table_) {
        if (each.at == nullptr) continue;
        auto at = each.hash & mask;
        while (wider[at].at != nullptr) at = (at + 1) & mask;
        wider[at] = each;
    }
    table_.swap(wider);
    mask_ = mask;
}

bool routes::route(address& to) {
    if (!address_problem(to.name).empty()) return false;
    std::vector<backlog*> targets;
    for (auto* each : to.own) {
        if (!each->is_kept) targets.push_back(each);
    }
    patterns_.find(to.name, targets);
    if (targets.empty()) {
        bool is_new = false;
        auto& kept = queue(to.name, to.name, false, is_new);
        kept.is_kept = true;
        kept_.emplace(kept.name, &kept);
        targets.push_back(&kept);
    }
    to.first_target = targets.front();
    to.more_targets.assign(targets.begin() + 1, targets.end());
    to.routed_at = generation_;
    return true;
}

backlog& routes::queue(std::string_view name, std::string_view pattern, bool fan_out,
                       bool& is_new) {
    auto key = (fan_out ? fan_out_mark : "") + std::string{name};
    const auto found = queues_.find(key);
    is_new = found == queues_.end();
    if (!is_new) return *found->second;
    auto& made = *queues_.emplace(std::move(key), std::make_unique<backlog>()).first->second;
    made.name = name;
    made.pattern = pattern;
    made.fan_out = fan_out;
    if (is_pattern(pattern)) {
        patterns_.add(pattern, made);
        ++generation_;
    } else {
        auto& read = named(pattern);
        read.own.push_back(&made);
        forget(read);
    }
    return made;
}

backlog& routes::serve(std::string_view name, std::string_view pattern, bool fan_out,
                       bool& is_new) {
    auto& served = queue(name, pattern, fan_out, is_new);
    if (std::exchange(served.is_kept, false)) {
        kept_.erase(served.name);
        forget(named(served.pattern));
    }
    return served;
}

const backlog* routes::find(std::string_view name) const {
    if (const auto found = queues_.find(name); found != queues_.end()) return found->second.get();
    const auto found = queues_.find(fan_out_mark + std::string{name});
    return found != queues_.end() ? found->second.get() : nullptr;
}

/// What every name that the pattern matches begins with.
std::string_view routes::fixed_part(std::string_view pattern) noexcept {
    return pattern.substr(0, pattern.find_first_of("*>"));
}

bool routes::is_wild(std::string_view name) noexcept { return is_pattern(name); }

bool routes::is_match(std::string_view pattern, std::string_view name) noexcept {
    return matches(pattern, name);
}

}  // namespace waybill::memory
