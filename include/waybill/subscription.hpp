/// What `subscribe` returns: says how one subscription settles, retries and ends.
///
/// A handle on the declaration, valid until the app starts; use it on the thread that wires the
/// app. Any value may be given; `check` and the start find what is wrong, all at once.
#pragma once

#include <waybill/backoff.hpp>
#include <waybill/codec.hpp>
#include <waybill/declaration.hpp>
#include <waybill/detail/plan.hpp>
#include <waybill/export.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace waybill {

class WAYBILL_API subscription {
public:
    /// For `subscribe`, which makes it.
    explicit subscription(std::shared_ptr<detail::subscription_plan> plan) noexcept
        : plan_{std::move(plan)} {}

    /// Names it in logs, health and tests; unique within the app. Default: the source's name.
    subscription& name(std::string name);
    /// What it is for, in words; `describe` shows it.
    subscription& describe(std::string description);

    /// How many deliveries of one message there are at most, the first included. Default: no cap.
    subscription& max_attempts(std::int64_t count);
    /// Where a message goes whose attempts are spent, or that cannot be decoded.
    subscription& dead_letter(std::string address);
    /// A spent message is dropped, on every transport, instead of needing a dead letter.
    subscription& drop_when_spent();
    /// The delay of a `retry` without one; a `retry_after` waits as long as it says. Default: none.
    subscription& retry_backoff(backoff delays);
    template <class Rep, class Period>  // never compiles: says why
    subscription& retry_backoff(std::chrono::duration<Rep, Period>) {
        static_assert(sizeof(Rep) == 0,
                      "waybill: say how the delays grow: waybill::backoff::fixed(delay), "
                      "exponential(first, longest) or list({...})");
        return *this;
    }
    /// Retry copies go to this address instead of back to where the message came from. Every retry
    /// is then a copy, and whoever reads the address goes on counting.
    subscription& retry_to(std::string address);
    /// Every retry is a copy to the address that the delivery itself was sent to; only this reader
    /// goes on counting, others there have one attempt.
    subscription& retry_to(delivery_address_t);
    /// Changes the payload and the headers of each retry copy before it is published; its address
    /// and the runtime's own headers stay. What it throws is logged, and the copy is sent
    /// unchanged. Runs on the lane's thread.
    subscription& on_retry_copy(std::function<void(outgoing&, const delivery&)> change);

    /// What becomes of a delivery whose handler threw. Default: retry.
    subscription& on_exception(failure_policy policy);
    /// What becomes of a payload that cannot be decoded. Default: the dead letter if there is one,
    /// else drop.
    subscription& on_undecodable(failure_policy policy);
    /// `drop` asks for the broker's own dead-letter policy.
    subscription& drop_to_broker();

    /// Of what it reads and of what its handler publishes. Default: the router's, then the app's.
    subscription& codec(waybill::codec format);
    /// Where the reply goes, whatever its type says.
    subscription& reply_to(std::string address);
    /// Where published values of type T go, whatever the type says.
    template <class T>
    subscription& publish_to(std::string address) {
        plan_->routes.push_back({&value_type_of<T>(), std::move(address)});
        return *this;
    }

    /// How many deliveries are handled at a time; order holds only within one lane. Default: 1.
    subscription& concurrency(std::int64_t lanes);
    /// Runs the handler on the thread that read the message: for handlers that never block, because
    /// all inline handlers of a broker share that thread.
    subscription& inline_handler();

    /// Retry counts of this earlier identity of the reader are its own.
    subscription& formerly(std::string reader);
    /// Copies that another reader made are acked unseen. Default: they have one attempt.
    subscription& skip_foreign_copies();
    /// Where the broker counts every return: above this, the message is dead-lettered.
    subscription& max_redeliveries(std::int64_t count);
    /// The failure record's size limit in bytes. Default 4,096.
    subscription& dead_letter_budget(std::int64_t bytes);

private:
    std::shared_ptr<detail::subscription_plan> plan_;
};

}  // namespace waybill
