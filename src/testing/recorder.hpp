/// Keeps what happened in a test: runs of handlers, confirmed publishes, and a history for people.
#pragma once

#include "settle/probe.hpp"
#include <waybill/clock.hpp>
#include <waybill/testing.hpp>

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace waybill::testing {

class recorder final : public settle::probe {
public:
    explicit recorder(std::shared_ptr<clock> time) : time_{std::move(time)} {}

    void delivered(std::string_view subscription, const delivery& message) override;
    void answered(std::string_view subscription, std::uint32_t attempt, outcome answer,
                  std::string_view error) override;
    void exceeded(std::string_view subscription, const delivery& message) override;
    void published(settle::publish_reason why, const outgoing_view& message,
                   detail::publish_status status) override;
    void settled(std::string_view subscription, std::uint32_t attempt,
                 detail::settle_kind kind) override;

    void note(std::string line);

    [[nodiscard]] const std::vector<test_call>& calls() const noexcept { return calls_; }
    [[nodiscard]] const std::vector<test_message>& messages() const noexcept { return messages_; }
    /// The last lines of the history, with how many were left out.
    [[nodiscard]] std::string history() const;

    /// Deliveries since the count was last set to zero, and where they were sent.
    [[nodiscard]] std::size_t reaction() const noexcept { return reaction_; }
    void begin_reaction() {
        reaction_ = 0;
        addresses_.clear();
    }
    [[nodiscard]] const std::map<std::string, std::size_t>& reaction_addresses() const noexcept {
        return addresses_;
    }

private:
    std::shared_ptr<clock> time_;
    std::vector<test_call> calls_;
    std::vector<test_message> messages_;
    std::map<std::string, std::size_t, std::less<>> open_;  ///< the run that has not answered
    std::deque<std::string> lines_;
    std::size_t left_out_ = 0;
    std::size_t reaction_ = 0;
    std::map<std::string, std::size_t> addresses_;
};

}  // namespace waybill::testing
