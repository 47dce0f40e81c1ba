/// What is wrong with a running app at the moment: one reason for each key (a subscription, a
/// broker). An app with a condition is degraded. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace waybill::settle {

class conditions {
public:
    /// True when it is new.
    bool raise(std::string_view key, std::string_view reason) {
        const std::lock_guard lock{mutex_};
        return reasons_.insert_or_assign(std::string{key}, std::string{reason}).second;
    }
    /// True when there was one.
    bool clear(std::string_view key) {
        const std::lock_guard lock{mutex_};
        return reasons_.erase(std::string{key}) != 0;
    }
    /// "charge: ...; audit: ...", empty when all is well.
    [[nodiscard]] std::string describe() const {
        const std::lock_guard lock{mutex_};
        std::string text;
        for (const auto& [key, reason] : reasons_) {
            if (!text.empty()) text += "; ";
            text += key + ": " + reason;
        }
        return text;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::string> reasons_;
};

}  // namespace waybill::settle
