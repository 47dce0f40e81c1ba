/// The stories of every_step.hpp, and the service that tells one: its handlers answer as the story
/// says, and announce what they do to the course and to its ledger.
#pragma once

#include "faulty_broker.hpp"
#include "step_ledger.hpp"
#include <waybill/waybill.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// What a handler does with a message that is in trouble.
enum class trouble : std::uint8_t {
    none,  ///< acks it as any other
    staged,
    retry,
    retry_after,
    drop,
    exception,
    undecodable,  ///< never sees it
    unsettled,    ///< destroys its settlement unused
    foreign,      ///< never sees it: it is a copy that another reader made
};

enum class form : std::uint8_t { plain, reply, deferred };

/// Four messages: the first and the last are acked at once, the second is in trouble whenever it is
/// delivered, the third once.
struct story {
    const char* name;
    trouble what;
    form handler = form::plain;
    std::uint32_t cap = 3;
    bool retries_elsewhere = false;  ///< copies to a fixed address, which is the queue's own
    bool rejects_drops = false;      ///< to the server's own dead letter
};

inline constexpr std::array stories{
    story{"ack", trouble::none},
    story{"staged", trouble::staged},
    story{"reply", trouble::staged, form::reply},
    story{"retry", trouble::retry},
    story{"retry_after", trouble::retry_after},
    story{"drop", trouble::drop},
    story{.name = "drop_to_broker", .what = trouble::drop, .rejects_drops = true},
    story{"exception", trouble::exception},
    story{"undecodable", trouble::undecodable},
    story{"skip_foreign_copies", trouble::foreign},
    story{"retry_uncapped", trouble::retry, form::plain, 0},
    story{"retry_to", trouble::retry, form::plain, 3, true},
    story{"retry_after_to", trouble::retry_after, form::plain, 3, true},
    story{"deferred_ack", trouble::none, form::deferred},
    story{"deferred_staged", trouble::staged, form::deferred},
    story{"deferred_retry", trouble::retry, form::deferred},
    story{"deferred_retry_after", trouble::retry_after, form::deferred},
    story{"deferred_drop", trouble::drop, form::deferred},
    story{"deferred_exception", trouble::exception, form::deferred},
    story{"deferred_unsettled", trouble::unsettled, form::deferred},
};

inline constexpr std::uint64_t always_in_trouble = 2;
inline constexpr std::uint64_t once_in_trouble = 3;
inline constexpr std::uint64_t message_count = 4;

/// Whether it ever is.
constexpr bool is_in_trouble(std::uint64_t id) {
    return id == always_in_trouble || id == once_in_trouble;
}

/// Where this message must end.
ending ending_of(const story& told, std::uint64_t id);

struct story_item {
    std::uint64_t id;
};
/// What handlers stage.
struct story_note {
    static constexpr std::string_view address = "notes";
    std::uint64_t id;      ///< of the message that it was staged for
    std::uint64_t number;  ///< among those of one delivery
};

class story_service {
public:
    /// `delay`: what a handler asks for that wants its message later.
    story_service(const story& told, course& run, std::string dead_letter,
                  std::chrono::nanoseconds delay)
        : told_{told}, course_{run}, dead_letter_{std::move(dead_letter)}, delay_{delay} {}

    /// One process of it.
    waybill::app make(const faulty_broker& at, const waybill::source& from, std::int64_t lanes,
                      std::shared_ptr<waybill::clock> time);
    /// Answers the delivery that was deferred last; false when none is.
    bool use_settlement();
    /// Uses the rest, whose process has ended.
    void use_settlements_too_late();

private:
    struct held {
        waybill::settlement right;
        std::uint64_t id;
        const std::byte* payload;
    };

    waybill::subscription& subscribe(waybill::broker& broker, const waybill::source& from);
    void ran(const waybill::context& with);
    void stage(std::uint64_t id, waybill::out<story_note>& notes) const;
    [[nodiscard]] std::size_t staged_with(std::uint64_t id) const;
    bool is_in_trouble_now(std::uint64_t id);
    waybill::outcome answer(std::uint64_t id, const waybill::context& with);
    waybill::outcome acked(std::uint64_t id, const std::byte* payload);
    waybill::outcome troubled(const std::byte* payload);

    const story& told_;
    course& course_;
    const std::string dead_letter_;
    const std::chrono::nanoseconds delay_;
    std::map<std::uint64_t, std::uint64_t> times_;  ///< that each message was answered
    std::vector<held> held_;
};

}  // namespace support
