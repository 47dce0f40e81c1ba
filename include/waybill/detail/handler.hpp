/// Turns a user's handler into the form that a lane calls: one function pointer and plain data on
/// what the handler wants. Mistakes that the types show are compile errors here.
#pragma once

#include <waybill/context.hpp>
#include <waybill/detail/callable.hpp>
#include <waybill/detail/handler_parameter.hpp>
#include <waybill/detail/invocation.hpp>
#include <waybill/detail/mistakes.hpp>
#include <waybill/export.h>
#include <waybill/fields.hpp>
#include <waybill/out.hpp>
#include <waybill/outcome.hpp>
#include <waybill/reply.hpp>
#include <waybill/settlement.hpp>
#include <waybill/state.hpp>

#include <concepts>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

namespace waybill::detail {

/// One type that a handler publishes.
struct output_spec {
    const value_type* type = nullptr;
    std::string_view own_address;  ///< `T::address`, else empty
    bool is_reply = false;
};

struct state_spec {
    std::type_index type;
    std::string_view name;
};

/// A handler as the runtime keeps it.
struct handler {
    std::shared_ptr<void> object;
    verdict (*invoke)(void* object, invocation& call) = nullptr;  ///< null: it was empty
    const value_type* decodes = nullptr;                          ///< null: the payload stays raw
    std::vector<state_spec> states;  ///< one for each `state<T>` parameter, in order
    std::vector<output_spec> outputs;
    bool defers = false;             ///< takes a `settlement`
    const void* identity = nullptr;  ///< a function's address, for the test kit
    std::type_index type = typeid(void);
};

template <class T>
inline constexpr bool is_reply = false;
template <class T>
inline constexpr bool is_reply<reply<T>> = true;

/// How many parameters of that kind stand before position `Position`.
template <argument_kind Kind, std::size_t Position, class... Arguments>
consteval std::size_t count_before() {
    constexpr argument_kind kinds[] = {kind_of_argument<Arguments>()..., argument_kind::none};
    std::size_t count = 0;
    for (std::size_t at = 0; at < Position; ++at) count += kinds[at] == Kind ? 1 : 0;
    return count;
}

template <class T>
struct types_of_out {
    static constexpr std::size_t count = 0;
    static void list(std::vector<output_spec>&) {}
};

template <class T>
output_spec output_for(bool replies) {
    return {&value_type_of<T>(), own_address_of<T>(), replies};
}

template <class... T>
struct types_of_out<out<T...>> {
    static constexpr std::size_t count = sizeof...(T);
    static void list(std::vector<output_spec>& all) { (all.push_back(output_for<T>(false)), ...); }
};

/// How many published types come before those of the `out` at `Position`.
template <std::size_t Position, class... Arguments>
consteval std::size_t outputs_before() {
    constexpr std::size_t counts[] = {types_of_out<std::remove_cvref_t<Arguments>>::count..., 0};
    std::size_t count = 0;
    for (std::size_t at = 0; at < Position; ++at) count += counts[at];
    return count;
}

/// Holds what an extractor made, or why it could not.
template <class T>
struct extracted {
    explicit extracted(invocation& call) {
        context about{call};
        using made = decltype(extractor<T>::extract(about));
        static_assert(is_expected<made> || std::is_convertible_v<made, T>,
                      "waybill: an extractor returns its T, or a std::expected<T, waybill::error>");
        if constexpr (is_expected<made>) {
            auto result = extractor<T>::extract(about);
            if (result) {
                value.emplace(std::move(*result));
            } else {
                call.problem = result.error().message();
            }
        } else if constexpr (std::is_convertible_v<made, T>) {
            value.emplace(extractor<T>::extract(about));
        }
    }
    std::optional<T> value;
};

/// Something that stands ready for one parameter; `get` gives the argument.
template <std::size_t Position, class Argument, argument_kind Kind, class... Arguments>
struct prepared {
    explicit prepared(invocation& call) : call_{&call} {}
    [[nodiscard]] bool ready() const noexcept { return true; }

    decltype(auto) get() {
        using plain = std::remove_cvref_t<Argument>;
        if constexpr (Kind == argument_kind::delivery) {
            return (*call_->message);
        } else if constexpr (Kind == argument_kind::headers) {
            return (call_->message->headers());
        } else if constexpr (Kind == argument_kind::attempt) {
            return attempt{call_->message->attempt()};
        } else if constexpr (Kind == argument_kind::raw) {
            return call_->message->payload();
        } else if constexpr (Kind == argument_kind::message) {
            return (*static_cast<const plain*>(call_->decoded));
        } else if constexpr (Kind == argument_kind::settlement) {
            return settlement{call_->slot, call_->serial};
        } else {
            static_assert(Kind == argument_kind::out);
            return plain{*call_, outputs_before<Position, Arguments...>()};
        }
    }

private:
    invocation* call_;
};

template <std::size_t Position, class Argument, class... Arguments>
struct prepared<Position, Argument, argument_kind::context, Arguments...> {
    explicit prepared(invocation& call) : about_{call} {}
    [[nodiscard]] bool ready() const noexcept { return true; }
    context& get() { return about_; }

private:
    context about_;
};

template <class T>
struct state_type;
template <class T>
struct state_type<state<T>> {
    using type = T;
};

template <std::size_t Position, class Argument, class... Arguments>
struct prepared<Position, Argument, argument_kind::state, Arguments...> {
    using wanted = typename state_type<std::remove_cvref_t<Argument>>::type;
    explicit prepared(invocation& call)
        : shared_{static_cast<wanted*>(
              call.states[count_before<argument_kind::state, Position, Arguments...>()])} {}
    [[nodiscard]] bool ready() const noexcept { return true; }
    state<wanted> get() { return state<wanted>{*shared_}; }

private:
    wanted* shared_;
};

template <class T>
struct field_key;
template <class Key>
struct field_key<field<Key>> {
    using type = Key;
};

template <std::size_t Position, class Argument, class... Arguments>
struct prepared<Position, Argument, argument_kind::field, Arguments...> {
    using plain = std::remove_cvref_t<Argument>;
    explicit prepared(invocation& call) : value_{field_key<plain>::type::get(*call.message)} {}
    [[nodiscard]] bool ready() const noexcept { return true; }
    plain get() { return value_; }

private:
    plain value_;
};

template <std::size_t Position, class Argument, class... Arguments>
struct prepared<Position, Argument, argument_kind::extracted, Arguments...> {
    using plain = std::remove_cvref_t<Argument>;
    explicit prepared(invocation& call) : made_{call} {}
    [[nodiscard]] bool ready() const noexcept { return made_.value.has_value(); }
    plain&& get() { return std::move(*made_.value); }

private:
    extracted<plain> made_;
};

/// What a handler returned, as a verdict.
template <class Result>
verdict verdict_of(invocation& call, std::size_t reply_at, Result&& result) {
    using plain = std::remove_cvref_t<Result>;
    if constexpr (std::is_same_v<plain, outcome>) {
        return {result};
    } else {
        if (!result.has_value()) return {result.answer()};
        if (!stage(call, call.outputs[reply_at], &result.value())) {
            return {{}, verdict::kind::failed};
        }
        return {};
    }
}

template <class H, class Result, class List>
struct invoker;

template <class H, class Result, class... Arguments>
struct invoker<H, Result, type_list<Arguments...>> {
    static constexpr std::size_t messages =
        count_before<argument_kind::message, sizeof...(Arguments), Arguments...>();
    static constexpr std::size_t settlements =
        count_before<argument_kind::settlement, sizeof...(Arguments), Arguments...>();
    static constexpr std::size_t outs = outputs_before<sizeof...(Arguments), Arguments...>();
    /// An extractor is lent the context too.
    static constexpr bool may_stage =
        outs != 0 ||
        count_before<argument_kind::context, sizeof...(Arguments), Arguments...>() != 0 ||
        count_before<argument_kind::extracted, sizeof...(Arguments), Arguments...>() != 0;

    static constexpr bool returns_well = std::is_void_v<Result> ||
                                         std::is_same_v<std::remove_cvref_t<Result>, outcome> ||
                                         is_reply<std::remove_cvref_t<Result>>;
    static constexpr bool settles_well = settlements == 0 || std::is_void_v<Result>;

    static_assert(messages <= 1,
                  "waybill: a handler takes one message; two of its parameters would both have to "
                  "be decoded from the payload. Put both into one type; the number of the "
                  "delivery is waybill::attempt");
    static_assert(settlements <= 1, "waybill: a handler takes one settlement");
    static_assert(settles_well,
                  "waybill: a handler that takes a settlement returns void: it answers through the "
                  "settlement");
    static_assert(returns_well,
                  "waybill: a handler returns void (ack), waybill::outcome or, to answer with a "
                  "T, waybill::reply<T>");

    /// Without it one of the sentences is said, and what follows would only bury it.
    static constexpr bool is_sound =
        ((kind_of_argument<Arguments>() != argument_kind::none) && ...) && messages <= 1 &&
        settlements <= 1 && settles_well && returns_well;

    template <std::size_t... At>
    static void check_parameters(std::index_sequence<At...>) {
        (void(handler_parameter<At, Arguments>{}), ...);
    }

    static verdict invoke(void* object, invocation& call) {
        return invoke_with(object, call, std::index_sequence_for<Arguments...>{});
    }

    template <std::size_t... At>
    static verdict invoke_with(void* object, invocation& call, std::index_sequence<At...>) {
        return run(*static_cast<H*>(object), call,
                   prepared<At, Arguments, kind_of_argument<Arguments>(), Arguments...>{call}...);
    }

    template <class... Prepared>
    static verdict run(H& callee, invocation& call, Prepared... each) {
        if (!(each.ready() && ...)) return {{}, verdict::kind::failed};
        if constexpr (std::is_void_v<Result>) {
            callable<H>::call(callee, each.get()...);
            if constexpr (settlements != 0) return {{}, verdict::kind::deferred};
            return answered(call, {});
        } else {
            auto given = verdict_of(call, outs, callable<H>::call(callee, each.get()...));
            return answered(call, given);
        }
    }

    static verdict answered(invocation& call, verdict given) {
        if constexpr (may_stage) {
            if (!call.problem.empty()) return {{}, verdict::kind::failed};
        }
        return given;
    }

    static void describe(handler& made) {
        (describe_argument<Arguments>(made), ...);
        made.defers = settlements != 0;
        if constexpr (is_reply<std::remove_cvref_t<Result>>) {
            describe_reply(made, static_cast<std::remove_cvref_t<Result>*>(nullptr));
        }
    }

    template <class Argument>
    static void describe_argument(handler& made) {
        using plain = std::remove_cvref_t<Argument>;
        constexpr auto kind = kind_of_argument<Argument>();
        if constexpr (kind == argument_kind::message) {
            made.decodes = &value_type_of<plain>();
        } else if constexpr (kind == argument_kind::state) {
            using wanted = typename state_type<plain>::type;
            made.states.push_back({typeid(wanted), pretty_type<wanted>()});
        } else if constexpr (kind == argument_kind::out) {
            types_of_out<plain>::list(made.outputs);
        }
    }

    template <class T>
    static void describe_reply(handler& made, reply<T>*) {
        static_assert(!borrowing<T>,
                      "waybill: this reply views what may be gone when it is written, which is "
                      "after the handler returned: give its type std::string and "
                      "std::vector<std::byte>, or publish it with out<T>");
        made.outputs.push_back(output_for<T>(true));
    }
};

template <class T>
concept points_to_handler = !callable<T>::is && requires(T given) {
    requires callable<std::decay_t<decltype(*given)>>::is;
};

/// What was given in the place of a handler. `Type` is called so in the compiler's text.
template <class Type>
struct not_a_handler {
    static constexpr bool is_answer = std::is_same_v<Type, outcome> || is_reply<Type>;
    static constexpr bool is_member = std::is_member_function_pointer_v<Type>;
    static constexpr bool points = points_to_handler<Type>;

    static_assert(!is_answer,
                  "waybill: this is what a handler answers: give the handler itself, without "
                  "calling it");
    static_assert(!is_member,
                  "waybill: a member function is no handler without its object: give the object "
                  "that has the handle(...), or a lambda that calls the member");
    static_assert(!points,
                  "waybill: a handler is given itself, not by pointer: std::ref(*pointer) for one "
                  "that lives elsewhere");
    static_assert(callable<Type>::is || is_answer || is_member || points,
                  "waybill: this is no handler. A handler is a function, a lambda without auto "
                  "parameters, or an object with exactly one handle(...) that is public and "
                  "neither overloaded nor a template (name a function template as f<T>)");
};

/// The handler as it is kept, from what was given.
template <class Kept, class Given>
struct kept_handler {
    static_assert(std::is_constructible_v<Kept, Given>,
                  "waybill: this handler cannot be copied: move it in with std::move, or give "
                  "std::ref of one that outlives the app");
};

/// A function pointer or a std::function that holds nothing.
template <class H>
bool is_empty(const H& given) {
    if constexpr (std::is_pointer_v<H> || requires {
                      typename H::result_type;
                      { !given } -> std::same_as<bool>;
                  }) {
        return !given;
    } else {
        return false;
    }
}

template <class H>
handler make_handler(H&& given) {
    using kept = std::decay_t<H>;
    (void)not_a_handler<kept>{};
    handler made;
    if constexpr (callable<kept>::is) {
        using as =
            invoker<kept, typename callable<kept>::result, typename callable<kept>::arguments>;
        as::check_parameters(std::make_index_sequence<callable<kept>::arguments::size>{});
        (void)kept_handler<kept, H>{};
        if constexpr (as::is_sound && std::is_constructible_v<kept, H>) {
            as::describe(made);
            if constexpr (std::is_pointer_v<kept>)
                made.identity = reinterpret_cast<const void*>(given);
            made.type = typeid(std::unwrap_reference_t<kept>);
            if (is_empty(given)) return made;
            made.invoke = &as::invoke;
            made.object = std::make_shared<kept>(std::forward<H>(given));
        }
    }
    return made;
}

}  // namespace waybill::detail
