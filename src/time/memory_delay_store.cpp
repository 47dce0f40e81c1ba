#include "time/delay_store.hpp"
#include "time/growing_pause.hpp"
#include "time/saturating.hpp"
#include <waybill/headers.hpp>

#include <algorithm>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <utility>

namespace waybill::time {

using detail::publish_status;
using std::chrono::nanoseconds;

namespace {

constexpr nanoseconds longest_pause = std::chrono::minutes{1};
constexpr std::uint8_t most_doublings = 10;
constexpr auto longest_flush = std::chrono::seconds{5};
/// How often a flush tries a copy, where its time does not end it before: on a clock that stands
/// still.
constexpr unsigned flush_tries = 64;
constexpr nanoseconds first_flush_pause = std::chrono::milliseconds{10};
constexpr nanoseconds longest_flush_pause = std::chrono::milliseconds{500};

nanoseconds pause_of(std::uint8_t failures) {
    return growing_pause(first_repeat, failures, longest_pause);
}

/// The headers that a dead letter without its record does not have.
bool is_for_retries(known_header known) noexcept {
    return known == known_header::retry_source || known == known_header::expires_at ||
           known == known_header::due || known >= known_header::dead_reason;
}

}  // namespace

/// One copy in the list of all, with its bytes behind it in the same piece of memory: a million may
/// wait. The flags are guarded by the store's lock; a copy that is armed is deleted only by its
/// timer, one that is being sent is left alone by all others.
struct memory_delay_store::waiting_copy final : timer_task, detail::publish_ticket {
    static std::unique_ptr<waiting_copy> make(memory_delay_store& store,
                                              const outgoing_view& message,
                                              const std::string* dead_letter, nanoseconds due_at) {
        const room_behind room{message.address.size() + message.packed_headers.size() +
                               message.payload.size()};
        return std::unique_ptr<waiting_copy>{new (room)
                                                 waiting_copy{store, message, dead_letter, due_at}};
    }
    struct room_behind {
        std::size_t size;
    };
    static void* operator new(std::size_t size, room_behind more) {
        return ::operator new(size + more.size);
    }
    static void operator delete(void* place) { ::operator delete(place); }
    static void operator delete(void* place, room_behind /*more*/) { ::operator delete(place); }

    void fire() noexcept override { owner->fired(*this); }
    void published(publish_status status) noexcept override { owner->sent(*this, status); }

    [[nodiscard]] std::string_view own_address() noexcept {
        return {reinterpret_cast<const char*>(bytes()), address_size};
    }
    [[nodiscard]] outgoing_view view() noexcept {
        const std::span<const std::byte> own{bytes() + address_size, headers_size};
        return {is_dead_letter ? std::string_view{*dead_letter} : own_address(),
                {own.data() + own.size(), payload_size},
                changed ? changed->packed() : own,
                {}};
    }
    /// Writes its due time into its headers, for a reader that gets it before.
    void date(std::chrono::milliseconds due_wall) {
        auto with_due = headers::copy_of(view().packed_headers);
        with_due.set(name_of(known_header::due), std::to_string(due_wall.count()));
        changed = std::make_unique<headers>(std::move(with_due));
    }
    /// The broker will never take it: from now on it is the dead letter. False: it has none, or is
    /// that already.
    bool becomes_dead_letter() {
        if (dead_letter == nullptr || is_dead_letter) return false;
        headers bare;
        for (const auto& each : headers::borrow(view().packed_headers)) {
            if (!is_for_retries(each.known)) bare.append(each.name, each.value);
        }
        changed = std::make_unique<headers>(std::move(bare));
        return is_dead_letter = true;
    }

    memory_delay_store* owner;
    waiting_copy* next = nullptr;
    waiting_copy* previous = nullptr;
    nanoseconds due;
    std::uint64_t number = 0;          ///< in the order of coming: decides between equal due times
    const std::string* dead_letter;    ///< an address, or null
    std::unique_ptr<headers> changed;  ///< in place of its own headers
    std::uint32_t address_size;
    std::uint32_t headers_size;
    std::size_t payload_size;
    std::uint8_t failures = 0;  ///< counted up to the longest pause
    std::uint8_t flushes = 0;
    bool is_armed = true;
    bool is_sending = false;
    bool is_confirmed = false;
    bool is_dead_letter = false;

private:
    waiting_copy(memory_delay_store& store, const outgoing_view& message, const std::string* dead,
                 nanoseconds due_at)
        : owner{&store},
          due{due_at},
          dead_letter{dead},
          address_size{static_cast<std::uint32_t>(message.address.size())},
          headers_size{static_cast<std::uint32_t>(message.packed_headers.size())},
          payload_size{message.payload.size()} {
        auto add = [at = bytes()](std::span<const std::byte> part) mutable {
            at = std::ranges::copy(part, at).out;
        };
        add(std::as_bytes(std::span{message.address}));
        add(message.packed_headers);
        add(message.payload);
    }
    [[nodiscard]] std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

memory_delay_store::memory_delay_store(detail::transport& to, timers& wakes,
                                       std::shared_ptr<clock> time, trouble tell)
    : to_{to}, wakes_{wakes}, time_{std::move(time)}, tell_{std::move(tell)} {}

memory_delay_store::~memory_delay_store() {
    while (first_ != nullptr) delete std::exchange(first_, first_->next);
}

publish_status memory_delay_store::put(const outgoing_view& message,
                                       const std::string* dead_letter) {
    if (message.packed_headers.size() > UINT32_MAX) return publish_status::refused;
    const auto now = time_->now();
    auto copy = waiting_copy::make(*this, message, dead_letter, saturating_add(now, message.delay));
    {
        const std::lock_guard lock{mutex_};
        // Nobody would flush it any more; its original comes again.
        if (flushed_) return publish_status::lost;
        copy->next = first_;
        if (first_ != nullptr) first_->previous = copy.get();
        first_ = copy.get();
        copy->number = ++taken_;
        ++count_;
    }
    wakes_.arm(now, message.delay, *copy.release());
    return publish_status::confirmed;
}

void memory_delay_store::forget(waiting_copy& copy) noexcept {
    if (copy.previous != nullptr) copy.previous->next = copy.next;
    if (copy.next != nullptr) copy.next->previous = copy.previous;
    if (first_ == &copy) first_ = copy.next;
    delete &copy;
}

void memory_delay_store::fired(waiting_copy& copy) noexcept {
    {
        const std::lock_guard lock{mutex_};
        copy.is_armed = false;
        if (copy.is_confirmed) return forget(copy);
        if (copy.is_sending) return;
        copy.is_sending = true;
        ++sending_;
    }
    send(copy);
}

void memory_delay_store::send(waiting_copy& copy) noexcept {
    const auto status = to_.publish(copy.view(), &copy);
    if (status != publish_status::pending) sent(copy, status);
}

void memory_delay_store::sent(waiting_copy& copy, publish_status status) noexcept {
    if (status == publish_status::confirmed) return taken(copy);
    // It is this call's until it is no longer being sent.
    const bool is_refused = status == publish_status::refused;
    const bool dies = is_refused && copy.becomes_dead_letter();
    tell_of(copy, dies);
    const auto pause = dies ? nanoseconds{0} : is_refused ? longest_pause : pause_of(copy.failures);
    copy.failures = dies ? 1 : std::min<std::uint8_t>(copy.failures + 1, most_doublings);
    {
        const std::lock_guard lock{mutex_};
        copy.is_sending = false;
        --sending_;
        one_sent_.notify_all();
        if (copy.is_armed || copy.flushes != 0) return;
        copy.is_armed = true;
    }
    // Armed last: then it is its timer's, which may delete it.
    wakes_.arm(time_->now(), pause, copy);
}

void memory_delay_store::tell_of(waiting_copy& copy, bool dies) const {
    if (!tell_ || (copy.failures != 0 && !dies)) return;
    if (!dies) {
        return tell_("a copy that has waited for its time is not taken at " +
                     std::string{copy.view().address} + "; it is kept and published again");
    }
    if (copy.failures != 0) tell_({});
    tell_("a copy that has waited for its time will never be taken at " +
          std::string{copy.own_address()} + "; it goes to the dead letter " + *copy.dead_letter +
          " without a failure record");
}

void memory_delay_store::taken(waiting_copy& copy) noexcept {
    bool recovers = false;
    {
        const std::lock_guard lock{mutex_};
        copy.is_sending = false;
        --sending_;
        one_sent_.notify_all();
        --count_;
        copy.is_confirmed = true;
        recovers = tell_ && copy.failures != 0;
        if (!copy.is_armed) forget(copy);
    }
    if (recovers) tell_({});
}

std::size_t memory_delay_store::waiting() const {
    const std::lock_guard lock{mutex_};
    return count_;
}

/// Takes what nobody sends at the moment and the flush has not tried often enough, in due order.
memory_delay_store::copies memory_delay_store::claim_for_flush() {
    copies all;
    const std::lock_guard lock{mutex_};
    flushed_ = true;
    for (auto* copy = first_; copy != nullptr; copy = copy->next) {
        if (copy->is_confirmed || copy->is_sending || copy->flushes == flush_tries) continue;
        copy->is_sending = true;
        ++copy->flushes;
        ++sending_;
        all.push_back(copy);
    }
    std::ranges::sort(all, {},
                      [](const waiting_copy* copy) { return std::pair{copy->due, copy->number}; });
    return all;
}

/// A clock that stands still is a test's, which drives everything by hand and does not sleep.
void memory_delay_store::flush_pause(unsigned rounds) const {
    if (!time_->real_time_of(time_->now())) return;
    std::this_thread::sleep_for(growing_pause(first_flush_pause, rounds, longest_flush_pause));
}

std::size_t memory_delay_store::flush() {
    const auto end = std::chrono::steady_clock::now() + longest_flush;
    for (unsigned rounds = 0;; ++rounds) {
        const auto claimed = claim_for_flush();
        for (auto* copy : claimed) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(
                std::max(copy->due - time_->now(), nanoseconds{0}));
            if (left > left.zero() && !copy->changed) copy->date(time_->wall() + left);
            send(*copy);
        }
        {
            std::unique_lock lock{mutex_};
            // What a timer had begun to send may have failed: then it is this flush's to try.
            const bool all_ended =
                one_sent_.wait_until(lock, end, [this] { return sending_ == 0; });
            const bool in_time = std::chrono::steady_clock::now() < end;
            if (claimed.empty() || !all_ended || !in_time || count_ == 0) return count_;
        }
        flush_pause(rounds);
    }
}

}  // namespace waybill::time
