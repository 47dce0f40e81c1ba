/// What one subscription declares, as plain data.
///
/// Builders, configuration and scenario files fill it; `check`, `describe` and the runtime read
/// it. It is validated once, after all have filled it, so any value may stand here for a while.
#pragma once

#include <waybill/backoff.hpp>
#include <waybill/detail/transport.hpp>
#include <waybill/outcome.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace waybill {

/// Says "to the dead letter" where a policy is asked for.
struct to_dead_letter_t {};
/// As in `on_exception(waybill::to_dead_letter)`.
inline constexpr to_dead_letter_t to_dead_letter{};

/// What happens to a delivery that threw or could not be decoded: an outcome, or the dead letter.
class failure_policy {
public:
    /// Settles as if the handler had answered this; a retry counts and ends at the cap.
    failure_policy(outcome answer) noexcept : answer_{answer} {}
    /// At once, whatever attempts are left.
    failure_policy(to_dead_letter_t) noexcept : dead_letter_{true} {}
    template <class T>
        requires(!std::is_same_v<T, failure_policy>)  // never compiles: says why
    failure_policy(const T&) {
        static_assert(std::is_same_v<T, outcome>,
                      "waybill: a failure policy is an outcome, as in waybill::drop(), or "
                      "waybill::to_dead_letter");
    }

    /// Which of the two it is.
    [[nodiscard]] bool is_dead_letter() const noexcept { return dead_letter_; }
    /// The outcome; of no meaning when it is the dead letter.
    [[nodiscard]] outcome answer() const noexcept { return answer_; }
    /// "dead_letter", or the outcome as text.
    [[nodiscard]] std::string describe() const {
        return dead_letter_ ? "dead_letter" : to_string(answer_);
    }

private:
    outcome answer_ = retry();
    bool dead_letter_ = false;
};

/// Says "where the delivery itself was sent" where a retry address is asked for.
struct delivery_address_t {};
/// As in `retry_to(waybill::delivery_address)`.
inline constexpr delivery_address_t delivery_address{};

struct declaration {
    std::string name;         ///< unique within the app; defaults to what the source is called
    std::string description;  ///< for people; may be empty
    source from;              ///< what it reads
    std::optional<std::int64_t> max_attempts;  ///< every delivery counts, the first included
    std::optional<std::string> dead_letter;    ///< an address
    std::optional<std::string> retry_to;       ///< where retry copies go; default: back
    bool retry_to_delivery = false;       ///< back as copies, where the broker could redeliver too
    std::optional<std::string> reply_to;  ///< an address; default: that of the reply's type
    std::optional<std::int64_t> max_redeliveries;  ///< only where the broker counts every return
    backoff retry_delay;                           ///< of a retry without a delay of its own
    failure_policy on_exception = retry();         ///< the handler threw
    std::optional<failure_policy> on_undecodable;  ///< default: dead letter if declared, else drop
    std::int64_t concurrency = 1;                  ///< lanes
    bool runs_inline = false;                      ///< on the thread that read the message
    bool drop_when_spent = false;                  ///< a spent message needs no dead letter
    bool drop_to_broker = false;                   ///< a drop is a reject
    bool skip_foreign_copies = false;              ///< copies of other readers are acked unseen
    std::vector<std::string> formerly;             ///< reader identities whose counts are ours
    std::int64_t record_budget = 4096;             ///< bytes of the failure record

    /// What the policy for undecodable payloads comes to.
    [[nodiscard]] failure_policy undecodable() const {
        if (on_undecodable) return *on_undecodable;
        if (dead_letter) return to_dead_letter;
        return drop();
    }
};

}  // namespace waybill
