/// Where every message ended, counted from what really happened.
#pragma once

#include <cstddef>
#include <string>

namespace demo {

struct ledger {
    std::size_t in = 0;           ///< published
    std::size_t charged = 0;      ///< read from payments.paid
    std::size_t declined = 0;     ///< dropped by the service
    std::size_t dead = 0;         ///< read from payments.dead, attempts spent
    std::size_t undecodable = 0;  ///< read from payments.dead, not decoded
    std::size_t waiting = 0;      ///< still in the broker: only after an interruption
    std::size_t lost = 0;         ///< published, ended nowhere, not in the broker
    std::size_t surplus = 0;      ///< second ends of a message, and ends of none

    [[nodiscard]] std::size_t ended() const noexcept {
        return charged + declined + dead + undecodable;
    }
    [[nodiscard]] bool balances() const noexcept {
        return lost == 0 && surplus == 0 && in == ended() + waiting;
    }
    /// "40 in = 29 charged + 5 declined + 5 dead + 1 undecodable, lost 0"
    [[nodiscard]] std::string text() const;
};

}  // namespace demo
