/// What an executor has under way: a copy or dead letter being published, a delivery being held,
/// what a handler staged. Inner to the executor's own files.
///
/// Belongs to one lane, but for `published` and `fire`, which come on any thread and only post.
#pragma once

#include "settle/execute.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace waybill::settle {

using detail::publish_status;
using detail::settle_kind;
using std::chrono::nanoseconds;

/// How a publish ended, for a log or a reason.
[[nodiscard]] const char* in_words(publish_status status) noexcept;

/// Takes an element out of a vector of owners, wherever it stands.
template <class T>
std::unique_ptr<T> take_out(std::vector<std::unique_ptr<T>>& all, T& element) {
    const auto at = std::ranges::find(all, &element, &std::unique_ptr<T>::get);
    auto owner = std::move(*at);
    *at = std::move(all.back());
    all.pop_back();
    return owner;
}

/// One delivery on its way elsewhere: its copy or dead letter is published, and repeated until it
/// is confirmed.
class executor::move final : public detail::publish_ticket, public time::timer_task, public mail {
public:
    explicit move(executor& owner) : owner_{&owner} {}

    void published(publish_status status) noexcept override {
        status_ = status;
        owner_->lane_.post(*this);
    }
    void fire() noexcept override { owner_->lane_.post(*this); }
    void arrive() noexcept override {
        switch (now) {
            case stage::sending:
                if (owner_->conclude(*this, status_)) owner_->let_go(*this);
                return;
            case stage::pausing:
                return owner_->resend(*this);
            case stage::given_back:
                return owner_->given_back_came(*this);
        }
    }

    [[nodiscard]] outgoing_view view() const noexcept {
        return {address, payload, built.bytes(), delay};
    }

    case_file about;
    byte_buffer built;         ///< packed headers
    std::string_view address;  ///< the delivery's, or one that is declared
    std::string fresh_root;
    copy_facts facts;
    std::span<const std::byte> payload;  ///< the delivery's, or what a hook put in its place
    std::vector<std::byte> changed;
    nanoseconds delay{0};
    publish_reason why = publish_reason::retry;
    bool has_record = false;
    unsigned tries = 0;
    enum class stage : std::uint8_t { sending, pausing, given_back } now = stage::sending;

private:
    executor* owner_;
    publish_status status_ = publish_status::pending;
};

/// A delivery kept in hand until its delay has passed, then given back, or handled.
class executor::held final : public time::timer_task, public mail {
public:
    held(executor& owner, const case_file& file, std::optional<settle_kind> how)
        : about{file}, then{how}, owner_{&owner} {}

    void fire() noexcept override { owner_->lane_.post(*this); }
    void arrive() noexcept override {
        is_given_back ? owner_->given_back_came(*this) : owner_->held_long_enough(*this);
    }

    case_file about;
    std::optional<settle_kind> then;  ///< requeue, release where no handler ran; nothing: handle it
    bool is_given_back = false;

private:
    executor* owner_;
};

/// What a handler staged, on its way; the delivery is acked when all of it is confirmed.
class executor::staged_move final : public detail::publish_ticket, public mail {
public:
    explicit staged_move(executor& owner) : owner_{&owner} {}

    void published(publish_status status) noexcept override {
        note(status);
        if (outstanding.fetch_sub(1, std::memory_order_acq_rel) == 1) owner_->lane_.post(*this);
    }
    void arrive() noexcept override { owner_->staged_concluded(*this); }
    void note(publish_status status) noexcept {
        auto known = worst.load(std::memory_order_relaxed);
        while (known < status && !worst.compare_exchange_weak(known, status)) {
        }
    }

    case_file about;
    detail::staging messages;
    std::atomic<std::size_t> outstanding{0};
    std::atomic<publish_status> worst{publish_status::confirmed};

private:
    executor* owner_;
};

}  // namespace waybill::settle
