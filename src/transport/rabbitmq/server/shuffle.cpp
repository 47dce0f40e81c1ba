#include "transport/rabbitmq/server/shuffle.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace waybill::rabbitmq::fake {
namespace {

/// Some of the first, as many as were all taken or all not, become one confirm.
void join_first(std::vector<news::confirmed>& all, std::mt19937_64& chance) {
    const auto other = std::ranges::find_if(
        all, [&](const auto& each) { return each.taken != all.front().taken; });
    const auto alike = static_cast<std::size_t>(other - all.begin());
    const auto count = chance() % (alike + 1);
    if (count < 2) return;
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count) - 1);
    all.front().multiple = true;
}

/// The same on every standard library, which std::shuffle is not.
void shuffle(std::vector<news::confirmed>& all, std::mt19937_64& chance) {
    for (auto left = all.size(); left > 1; --left) std::swap(all[left - 1], all[chance() % left]);
}

}  // namespace

void mix_confirms(std::deque<news::any>& all, std::mt19937_64& chance) {
    std::map<channel_id, std::vector<news::confirmed>> confirms;
    for (const auto& each : all) {
        if (const auto* one = std::get_if<news::confirmed>(&each))
            confirms[one->on].push_back(*one);
    }
    std::erase_if(all,
                  [](const auto& each) { return std::holds_alternative<news::confirmed>(each); });
    for (auto& [on, each] : confirms) {
        join_first(each, chance);
        shuffle(each, chance);
        // Nothing comes on a channel behind its end.
        const auto end = std::ranges::find_if(all, [&](const auto& other) {
            const auto* closed = std::get_if<news::closed>(&other);
            return closed != nullptr && closed->on == on;
        });
        all.insert(end, each.begin(), each.end());
    }
}

}  // namespace waybill::rabbitmq::fake
