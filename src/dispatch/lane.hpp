/// Where one subscription's deliveries run in order: takes a batch, decodes, runs the handler, has
/// the outcome carried out, and settles the batch with one call.
///
/// Guarantee: whatever a handler or a hook throws ends here; every delivery taken is handed to the
/// executor exactly once. A batch is as long as it is quick: while handlers are slow, a lane holds
/// one delivery, and the others are free for other lanes.
#pragma once

#include "dispatch/fifo.hpp"
#include "dispatch/pool.hpp"
#include "dispatch/subscription.hpp"
#include "settle/execute.hpp"
#include "settle/mailbox.hpp"
#include <waybill/delivery.hpp>
#include <waybill/detail/handler.hpp>
#include <waybill/detail/staging.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace waybill::dispatch {

class lane final : public runnable, public settle::home {
public:
    lane(subscription& of, pool& on);
    ~lane();

    [[nodiscard]] bool is_quiet() const noexcept {
        return quiet_.load(std::memory_order_acquire) && !has_mail();
    }

private:
    friend class subscription;
    class slot;
    struct message_object;

    bool turn() noexcept override;
    void wake() noexcept override { schedule(); }
    void resume(const settle::case_file& about) noexcept override { due_.push(about); }

    [[nodiscard]] std::size_t how_many() noexcept;
    bool may_take_alone() noexcept;
    void say_held_up(bool is_so) noexcept;
    void pass_over() noexcept;
    void process_batch(std::span<const detail::received> batch) noexcept;
    void process(const detail::received& from) noexcept;
    void process_due() noexcept;
    void handle(const settle::case_file& file) noexcept;
    void process_with_care(const detail::received& from) noexcept;
    bool decode(const detail::received& from) noexcept;
    detail::verdict run_handler(const detail::received& from, std::uint32_t attempt) noexcept;
    [[nodiscard]] bool may_be_stopped(const settle::case_file& file) const noexcept;
    /// True when the delivery was dealt with and its handler must not run.
    bool stopped_on_receipt(const settle::case_file& file);
    void undecodable(const settle::case_file& file);
    void note_history(const settle::case_file& file);
    bool came_early(const settle::case_file& file);
    void lend(const settle::case_file& file);
    void answered(const settle::case_file& file, detail::verdict given);
    void deferred_settled(std::optional<outcome> answer);
    void adapt(std::chrono::nanoseconds took, std::size_t count) noexcept;

    subscription& of_;
    settle::executor executor_;
    std::vector<detail::received> batch_;
    std::size_t batch_limit_ = 1;
    std::uint64_t generation_;     ///< of the connection at the last look
    fifo<settle::case_file> due_;  ///< held until now, and to be handled
    settle::case_file deferred_;
    bool slot_taken_ = false;
    bool is_plain_ = true;  // no settlement to lend, nobody observes
    bool asleep_ = false;   // guarded by the subscription's lock
    bool slept_ = false;
    bool is_held_up_ = false;
    dead_reason fault_ = dead_reason::decode;  ///< why the last decode said no
    std::uint32_t most_plain_count_ = 0;       ///< above this, a broker's count needs care
    std::uint32_t requeues_below_ = 0;         ///< below this attempt a plain retry is a requeue
    std::uint32_t delays_below_ = 0;           ///< and below this one that after a delay
    std::uint32_t cap_ = UINT32_MAX;
    std::atomic<bool> quiet_{true};
    std::shared_ptr<slot> slot_;
    std::unique_ptr<message_object> object_;
    delivery message_;
    detail::staging staged_;
    detail::invocation call_;
};

}  // namespace waybill::dispatch
