/// What is published and not confirmed yet: which publish goes next, and which a confirmation is
/// about.
///
/// Guarantee: every publish that came in ends in exactly one answer; in flight are at most as many
/// as the window allows; what was in flight when the channel or the connection went is sent again,
/// in its order. A publish for which the server closes the channel, or ends the connection, is
/// found by sending those that were in flight one at a time, and fails alone. Pure; belongs to the
/// thread of its connection.
#pragma once

#include "transport/rabbitmq/publish.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

namespace waybill::rabbitmq {

/// How one publish ended.
struct publish_end {
    publish* of = nullptr;
    detail::publish_status how = detail::publish_status::confirmed;
};

class window {
public:
    explicit window(std::size_t most) noexcept : most_{most} {}

    /// Behind all that waits.
    void submit(publish& what) { waiting_.push_back(&what); }
    /// What may be sent now, and then counts as sent; null: nothing.
    [[nodiscard]] publish* next();
    /// The one that `next` gave cannot be sent and ends here. Only before the next `next`.
    void take_back_last();

    /// The server has confirmed, or refused to take, these. Ends are added to `ended`.
    void confirmed(std::uint64_t tag, bool multiple, bool taken, std::vector<publish_end>& ended);
    /// The server has returned a message: the one that is in flight and was sent so, with the same
    /// mark, or where it has none with the same properties and headers. Where several were and
    /// cannot be told apart, each of them counts as returned: one that was taken is then sent
    /// twice, and none is lost.
    void returned(const returned_message& what);
    /// The server closed the channel. The offender ends with `how` when it is known.
    void channel_closed(detail::publish_status how, std::vector<publish_end>& ended);
    /// The connection fell.
    void connection_lost();
    /// The server ended the connection for a fault. What was in flight is sent again one at a time;
    /// one that is alone in flight when that happens, twice, ends as refused.
    void connection_ended(std::vector<publish_end>& ended);
    /// The same for what need not have been any of them: it counts against none.
    void connection_ended_for_another();
    /// Everything ends so.
    void end_all(detail::publish_status how, std::vector<publish_end>& ended);
    /// It is withdrawn if it has not been sent yet, or forgotten; false when it is not here.
    bool withdraw(const publish& what);

    [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    struct sent {
        std::uint64_t tag;
        publish* of;  ///< null: confirmed, or withdrawn
    };

    [[nodiscard]] sent* find(std::uint64_t tag) noexcept;
    /// Those that `is_meant` count as returned; false when there are none.
    template <class Meant>
    bool mark_returned(Meant is_meant);
    [[nodiscard]] static sent* search(std::span<sent> among, std::uint64_t tag) noexcept;
    void end(sent& at, bool taken, std::vector<publish_end>& ended);
    void end_only(detail::publish_status how, std::vector<publish_end>& ended);
    void forget_ended() noexcept;
    void close_gaps() noexcept;
    void recall(bool are_suspects);

    std::size_t most_;
    std::deque<publish*> waiting_;
    /// By their tags. Those before `first_` have ended; the one there has not. However long that
    /// one waits, there are never more of them than twice what the window allows.
    std::vector<sent> sent_;
    std::size_t first_ = 0;
    std::uint64_t next_tag_ = 1;
    std::size_t in_flight_ = 0;
};

}  // namespace waybill::rabbitmq
