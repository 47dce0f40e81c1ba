/// The handler of one subscription: answers each message as the scenario's list says.
#pragma once

#include "scenario/observer.hpp"
#include "scenario/scenario.hpp"
#include <waybill/detail/handler.hpp>
#include <waybill/settlement.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace waybill::scenario {

/// Answers that take time: they are given when the clock has come so far.
class late_answers {
public:
    struct one {
        nanoseconds due;
        std::function<void()> give;
    };
    void add(nanoseconds due, std::function<void()> give) {
        const auto behind = std::ranges::upper_bound(waiting_, due, {}, &one::due);
        waiting_.insert(behind, {due, std::move(give)});
    }
    [[nodiscard]] std::optional<nanoseconds> next_due() const {
        return waiting_.empty() ? std::nullopt : std::optional{waiting_.front().due};
    }
    /// Gives the first.
    void give_one() {
        const auto first = std::move(waiting_.front());
        waiting_.erase(waiting_.begin());
        first.give();
    }
    /// Their process has gone.
    void clear() { waiting_.clear(); }

private:
    std::vector<one> waiting_;  ///< in due order, those that are equal as they came
};

/// What actors share. Outlives them.
struct stage {
    observer& seen;
    /// Calls it when so much time has passed, unless the process dies before.
    std::function<void(nanoseconds takes, std::function<void()> give)> later;
    std::function<void()> crash;  ///< the process dies here
};

/// The handler as the runtime keeps it. What it names outlives the app.
[[nodiscard]] detail::handler make_handler(const subscription& told, stage& on,
                                           const value_type* decodes);

}  // namespace waybill::scenario
