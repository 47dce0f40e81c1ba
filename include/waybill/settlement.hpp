/// The right to settle one delivery, once, later, from any thread.
///
/// A handler that takes a `settlement` by value returns `void`; its lane's slot stays taken until
/// the settlement is used. What the delivery views stays valid until then. A settlement that is
/// destroyed unused gives the delivery back. Using one after the app stopped does nothing. A kill
/// loses nothing: the delivery is unsettled and comes again.
#pragma once

#include <waybill/detail/invocation.hpp>
#include <waybill/outcome.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace waybill {

namespace detail {
/// What the compiler says of `s.ack()`.
template <class Self>
struct settled_without_move {
    static_assert(sizeof(Self) == 0,
                  "waybill: a settlement is used once, and says so: std::move(s).ack()");
};
}  // namespace detail

class settlement {
public:
    /// For the runtime, which lends it.
    settlement(std::shared_ptr<detail::pending_settlement> slot, std::uint64_t serial) noexcept
        : slot_{std::move(slot)}, serial_{serial} {}
    /// What is moved from settles nothing any more; what is assigned to gives its own delivery back
    /// first. @{
    settlement(settlement&& other) noexcept = default;
    settlement& operator=(settlement&& other) noexcept {
        if (this != &other) {
            finish(std::nullopt);
            slot_ = std::move(other.slot_);
            serial_ = other.serial_;
        }
        return *this;
    }
    /// @}
    /// Gives the delivery back, uncounted, when it was not used.
    ~settlement() { finish(std::nullopt); }

    /// Settles: the lane hears of it at once and acts on its own thread. Any thread; never blocks
    /// on the broker, never throws. @{
    void ack() && noexcept { finish(waybill::ack()); }
    void retry() && noexcept { finish(waybill::retry()); }
    template <class Rep, class Period>
    void retry_after(std::chrono::duration<Rep, Period> delay) && noexcept {
        finish(waybill::retry_after(delay));
    }
    void drop() && noexcept { finish(waybill::drop()); }
    void settle(outcome answer) && noexcept { finish(answer); }
    /// @}

    template <detail::number Number>  // never compiles: says why
    void retry_after(Number) && noexcept {
        (void)detail::delay_without_unit<Number>{};
    }
    template <class Self = settlement>  // never compiles: says why
    void ack() & noexcept {
        (void)detail::settled_without_move<Self>{};
    }
    template <class Self = settlement>  // never compiles: says why
    void retry() & noexcept {
        (void)detail::settled_without_move<Self>{};
    }
    template <class Delay, class Self = settlement>  // never compiles: says why
    void retry_after(Delay) & noexcept {
        (void)detail::settled_without_move<Self>{};
    }
    template <class Self = settlement>  // never compiles: says why
    void drop() & noexcept {
        (void)detail::settled_without_move<Self>{};
    }
    template <class Self = settlement>  // never compiles: says why
    void settle(outcome) & noexcept {
        (void)detail::settled_without_move<Self>{};
    }

private:
    void finish(std::optional<outcome> answer) noexcept {
        if (const auto slot = std::exchange(slot_, nullptr)) slot->finish(serial_, answer);
    }

    std::shared_ptr<detail::pending_settlement> slot_;
    std::uint64_t serial_;
};

}  // namespace waybill
