/// What is wrong with a running app at the moment: the latest reason for each key (a subscription,
/// a broker), as long as anything is wrong under it. An app with a condition is degraded.
/// Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace waybill::settle {

class conditions {
public:
    /// One more thing is wrong under this key.
    void raise(std::string_view key, std::string_view reason) {
        const std::lock_guard lock{mutex_};
        auto& entry = troubles_[std::string{key}];
        entry.reason = reason;
        ++entry.count;
    }
    /// What was raised is still wrong, for this reason now.
    void renew(std::string_view key, std::string_view reason) {
        const std::lock_guard lock{mutex_};
        troubles_[std::string{key}].reason = reason;
    }
    /// One thing that was raised is over; with the last one the key is well again.
    void clear(std::string_view key) {
        const std::lock_guard lock{mutex_};
        const auto found = troubles_.find(key);
        if (found != troubles_.end() && --found->second.count == 0) troubles_.erase(found);
    }
    /// "charge: ...; audit: ...", empty when all is well.
    [[nodiscard]] std::string describe() const {
        const std::lock_guard lock{mutex_};
        std::string text;
        for (const auto& [key, entry] : troubles_) {
            if (!text.empty()) text += "; ";
            text += key + ": " + entry.reason;
        }
        return text;
    }

private:
    struct trouble {
        std::string reason;
        std::size_t count = 0;
    };
    mutable std::mutex mutex_;
    std::map<std::string, trouble, std::less<>> troubles_;
};

}  // namespace waybill::settle
