/// The test kit: runs the production app in process, on a clock that stands still.
///
/// Guarantee: no thread, no socket, no sleep; two runs of a test give the same order. `publish`
/// returns when everything that it caused has come to rest; `advance` lets exactly that much time
/// pass and fires what falls due in order, each with all that it causes before the next. What a
/// look at the app returns prints what did happen, so that a failed expectation explains itself.
///
/// Belongs to one thread. Handlers run inside of `publish` and `advance`.
#pragma once

#include <waybill/app.hpp>
#include <waybill/clock.hpp>
#include <waybill/codec.hpp>
#include <waybill/detail/delay_unit.hpp>
#include <waybill/detail/mistakes.hpp>
#include <waybill/error.hpp>
#include <waybill/export.h>
#include <waybill/headers.hpp>
#include <waybill/outcome.hpp>
#include <waybill/state.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

namespace waybill {

/// The wiring is wrong, or start-up failed: `what()` has every problem.
class WAYBILL_API test_failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One run of a handler.
struct test_call {
    std::string subscription;        ///< its name
    std::string address;             ///< where the message was sent
    std::uint32_t attempt = 1;       ///< the first is 1
    headers with;                    ///< as they arrived
    std::vector<std::byte> payload;  ///< as it arrived
    std::chrono::nanoseconds at{0};  ///< since the start of the test
    bool answered = false;           ///< false while a settlement is out
    outcome answer;                  ///< what it or its failure policy answered
    std::string error;               ///< empty unless it threw
};

/// A message that the service published and its broker confirmed.
struct test_message {
    std::string address;             ///< where it was sent
    headers with;                    ///< all, the runtime's own included
    std::vector<std::byte> payload;  ///< its bytes
    std::string why;                 ///< staged, retry, dead_letter
    std::chrono::nanoseconds at{0};  ///< since the start of the test

    /// The payload as text.
    [[nodiscard]] std::string text() const {
        return {reinterpret_cast<const char*>(payload.data()), payload.size()};
    }
    /// Decoded; throws test_failure with the reason when it cannot be.
    template <class T>
    [[nodiscard]] T as(const codec& format) const {
        auto read = decode<T>(format, payload);
        if (!read) throw test_failure(address + ": " + read.error().message());
        return std::move(*read);
    }
};

/// A list that compares with a number by its length, and prints the test's history.
template <class Item>
class test_list {
public:
    /// For the test kit, which makes it.
    test_list(std::vector<Item> items, std::string history)
        : items_{std::move(items)}, history_{std::move(history)} {}

    /// How many there are. @{
    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
    [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
    /// @}
    /// Throws test_failure, with the history, when there is no such item.
    [[nodiscard]] const Item& operator[](std::size_t at) const& {
        if (at >= items_.size()) {
            throw test_failure("there is no item " + std::to_string(at) + ": " + history_);
        }
        return items_[at];
    }
    /// Of a list that nobody keeps, as in `tb.published("dead")[0]`: the item itself.
    [[nodiscard]] Item operator[](std::size_t at) && { return std::as_const(*this)[at]; }
    /// In the order of happening. @{
    [[nodiscard]] auto begin() const noexcept { return items_.begin(); }
    [[nodiscard]] auto end() const noexcept { return items_.end(); }
    /// @}

    /// With a number by the length, with a list item by item. @{
    template <std::integral Number>
    friend bool operator==(const test_list& list, Number count) {
        return std::cmp_equal(list.size(), count);
    }
    friend bool operator==(const test_list& list, std::initializer_list<Item> wanted) {
        return list.items_ == std::vector<Item>(wanted);
    }
    friend bool operator==(const test_list& list, const std::vector<Item>& wanted) {
        return list.items_ == wanted;
    }
    /// @}
    /// The length and the history: what a failed expectation shows.
    friend std::ostream& operator<<(std::ostream& stream, const test_list& list) {
        return stream << list.size() << "\n" << list.history_;
    }

private:
    std::vector<Item> items_;
    std::string history_;
};

namespace detail {

/// A prepared state in the place of what on_startup makes.
struct given_state {
    std::type_index type;
    std::shared_ptr<void> state;
};

struct given_clock {
    std::shared_ptr<manual_clock> time;
};

template <class T>
inline constexpr bool is_test_option =
    std::is_same_v<T, given_state> || std::is_same_v<T, given_clock>;

template <class Option>
struct test_option {
    static_assert(is_test_option<Option>,
                  "waybill: what a test_app takes beside the app is made by waybill::with_state "
                  "or waybill::with_clock");
};

}  // namespace detail

/// Puts this state in the place of what `on_startup` makes of the same type.
template <class T>
detail::given_state with_state(std::shared_ptr<T> state) {
    return {typeid(T), std::move(state)};
}
/// The same for an object that the test owns and that outlives the test_app.
template <class T>
detail::given_state with_state(std::reference_wrapper<T> state) {
    return {typeid(T), std::shared_ptr<T>{&state.get(), [](T*) {}}};
}
/// The same for a value, which is moved in.
template <class T>
detail::given_state with_state(T state) {
    static_assert(!std::is_pointer_v<T> && !detail::is_smart_pointer<T>,
                  "waybill: with_state takes the state, a std::shared_ptr to it, or std::ref of "
                  "one that outlives the test_app");
    return with_state(std::make_shared<T>(std::move(state)));
}

/// Uses a clock that another test_app used before: a service that is started again finds what
/// waits in a server that both know.
inline detail::given_clock with_clock(std::shared_ptr<manual_clock> time) {
    return {std::move(time)};
}

/// One app under test, in process and on a clock that stands still. Guarantee: `publish` and
/// `advance` return when everything that they caused has come to rest, and two runs give the same
/// order. Belongs to one thread, on which the handlers run too. Destroying it stops the app.
class WAYBILL_API test_app {
public:
    /// Starts the app; throws test_failure with every problem when it cannot.
    template <class... Options>
    explicit test_app(app wired, Options... options) : test_app{prepared{}, std::move(wired)} {
        (void(detail::test_option<Options>{}), ...);
        if constexpr ((detail::is_test_option<Options> && ...)) (use(std::move(options)), ...);
        start();
    }
    ~test_app();
    test_app(const test_app&) = delete;
    test_app& operator=(const test_app&) = delete;

    /// Publishes as an outsider would and lets the app react until it is at rest. The codec is
    /// that of the subscription which reads the address, else the app's. Throws test_failure when
    /// the broker does not take the message or the reaction does not come to rest.
    /// The address may be the type's own. @{
    template <detail::encodable T>
    void publish(std::string_view address, const T& value, const headers& with = {}) {
        publish_value(address, value_type_of<T>(), &value, with);
    }
    template <detail::message_alone T>
    void publish(const T& value, const headers& with = {}) {
        (void)detail::no_address<T>{};
        publish(detail::own_address_of<T>(), value, with);
    }
    /// @}
    template <detail::neither_message_nor_payload T>  // never compiles: says why
    void publish(std::string_view, const T&, const headers& = {}) {
        (void)detail::no_message<T>{};
    }
    /// The same with the bytes of a payload. @{
    void publish(std::string_view address, std::span<const std::byte> payload,
                 const headers& with = {}) {
        publish_raw(address, payload, with);
    }
    void publish_raw(std::string_view address, std::string_view payload, const headers& with = {});
    void publish_raw(std::string_view address, std::span<const std::byte> payload,
                     const headers& with = {});
    /// @}

    /// Lets time pass. Throws std::logic_error when it is called inside of a handler.
    void advance(std::chrono::nanoseconds duration);
    template <detail::number Number>  // never compiles: says why
    void advance(Number) {
        (void)detail::delay_without_unit<Number>{};
    }
    /// Lets what was caused from outside (a settlement used by the test) come to rest.
    void rest();

    /// The runs of a handler, in order: by its function, its class, or the subscription's name.
    /// Throws test_failure when nothing subscribes it. @{
    template <class Result, class... Arguments>
    [[nodiscard]] test_list<test_call> calls(Result (*handler)(Arguments...)) const {
        return calls_of(reinterpret_cast<const void*>(handler));
    }
    template <class Handler>
    [[nodiscard]] test_list<test_call> calls() const {
        return calls_of(std::type_index{typeid(Handler)});
    }
    [[nodiscard]] test_list<test_call> calls(std::string_view subscription) const;
    /// @}

    /// What it answered, in order; a reply is an ack. Throws as `calls` does. @{
    template <class Result, class... Arguments>
    [[nodiscard]] test_list<outcome> outcomes(Result (*handler)(Arguments...)) const {
        return outcomes_in(calls(handler));
    }
    template <class Handler>
    [[nodiscard]] test_list<outcome> outcomes() const {
        return outcomes_in(calls<Handler>());
    }
    [[nodiscard]] test_list<outcome> outcomes(std::string_view subscription) const;
    /// @}

    /// What the service published to an address and had confirmed.
    [[nodiscard]] test_list<test_message> published(std::string_view address) const;

    /// How much time has passed.
    [[nodiscard]] std::chrono::nanoseconds now() const;
    /// The clock, for `with_clock` of the next test_app.
    [[nodiscard]] const std::shared_ptr<manual_clock>& time() const noexcept;
    /// As `app::health`.
    [[nodiscard]] waybill::health health() const;
    /// Everything that happened so far, a line each.
    [[nodiscard]] std::string history() const;
    /// How many deliveries one reaction may have before it is reported as endless. Default 10,000.
    void reaction_limit(std::size_t deliveries);
    /// A graceful stop that waits for nobody; true when nothing was in hand. Throws
    /// std::logic_error when it is called inside of a handler.
    bool stop();

private:
    struct prepared {};
    struct impl;

    test_app(prepared, app wired);
    void use(detail::given_state state);
    void use(detail::given_clock time);
    void start();
    void publish_value(std::string_view address, const value_type& type, const void* value,
                       const headers& with);
    [[nodiscard]] test_list<test_call> calls_of(const void* function) const;
    [[nodiscard]] test_list<test_call> calls_of(std::type_index type) const;
    [[nodiscard]] test_list<outcome> outcomes_in(const test_list<test_call>& calls) const;

    std::unique_ptr<impl> impl_;
};

}  // namespace waybill
