/// Types that stand on the wire as another one: the user's (scalar.hpp) and those of std::chrono.
#pragma once

#include <waybill/detail/callable.hpp>
#include <waybill/detail/time_text.hpp>
#include <waybill/scalar.hpp>
#include <waybill/value_type.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <expected>
#include <limits>
#include <new>
#include <optional>
#include <ratio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace waybill::detail {

template <class T>
concept has_scalar = requires { sizeof(scalar<T>); };

template <class T>
struct duration_traits {
    static constexpr bool is = false;
};
template <class Rep, class Period>
struct duration_traits<std::chrono::duration<Rep, Period>> {
    static constexpr bool is = true;
};

template <class T>
struct time_traits {
    static constexpr bool is = false;
    static constexpr bool has_other_clock = false;
};
template <class Clock, class Duration>
struct time_traits<std::chrono::time_point<Clock, Duration>> {
    static constexpr bool is = std::is_same_v<Clock, std::chrono::system_clock>;
    static constexpr bool has_other_clock = !is;
};

/// Nanoseconds, wide enough for every count of every period.
__extension__ using wide_int = __int128;

/// A duration in nanoseconds; false when it is no whole number of them.
template <class Rep, class Period>
bool to_nanoseconds(std::chrono::duration<Rep, Period> from, wide_int& nanoseconds) noexcept {
    using each = std::ratio_divide<Period, std::nano>;
    if constexpr (std::is_floating_point_v<Rep>) {
        const long double exact = static_cast<long double>(from.count()) * each::num / each::den;
        // Far beyond what any form on the wire holds.
        if (!(std::abs(exact) < 1e30L)) return false;
        nanoseconds = static_cast<wide_int>(std::round(exact));
        return true;
    } else {
        const wide_int scaled = static_cast<wide_int>(from.count()) * each::num;
        nanoseconds = scaled / each::den;
        return scaled % each::den == 0;
    }
}

/// The duration of so many nanoseconds; false when it cannot hold exactly that many.
template <class Rep, class Period>
bool from_nanoseconds(wide_int nanoseconds, std::chrono::duration<Rep, Period>& to) noexcept {
    using each = std::ratio_divide<Period, std::nano>;
    if constexpr (std::is_floating_point_v<Rep>) {
        to = std::chrono::duration<Rep, Period>{
            static_cast<Rep>(static_cast<long double>(nanoseconds) * each::den / each::num)};
        return true;
    } else {
        const wide_int scaled = nanoseconds * each::den;
        const wide_int count = scaled / each::num;
        if (scaled % each::num != 0 || count < std::numeric_limits<Rep>::min() ||
            count > std::numeric_limits<Rep>::max())
            return false;
        to = std::chrono::duration<Rep, Period>{static_cast<Rep>(count)};
        return true;
    }
}

template <class T>
struct duration_scalar {
    using read_type = std::int64_t;
    using written_type = std::int64_t;
    static constexpr bool is_time = false;

    static bool from_wire(void* object, const void* wire, std::string& problem) {
        const std::int64_t nanoseconds = *static_cast<const std::int64_t*>(wire);
        if (from_nanoseconds(nanoseconds, *static_cast<T*>(object))) return true;
        problem = "expected nanoseconds that the type can hold";
        return false;
    }
    static bool to_wire(const void* object, void* place, std::string& problem) {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        wide_int exact = 0;
        if (!to_nanoseconds(*static_cast<const T*>(object), exact) || exact > most ||
            exact < -wide_int{most} - 1) {
            problem = "the duration is no number of nanoseconds of 64 bits";
            return false;
        }
        ::new (place) std::int64_t{static_cast<std::int64_t>(exact)};
        return true;
    }
};

template <class T>
struct time_scalar {
    using read_type = std::string_view;
    using written_type = std::string_view;
    static constexpr bool is_time = true;
    static constexpr wide_int second = 1'000'000'000;

    static bool from_wire(void* object, const void* wire, std::string& problem) {
        wall_time time;
        if (!parse_time(*static_cast<const std::string_view*>(wire), time)) {
            problem = "expected a time like 2026-01-31T12:00:00Z";
            return false;
        }
        typename T::duration since{};
        if (!from_nanoseconds(time.seconds * second + time.nanoseconds, since)) {
            problem = "expected a time that the type can hold";
            return false;
        }
        *static_cast<T*>(object) = T{since};
        return true;
    }
    static bool to_wire(const void* object, void* place, std::string& problem) {
        wide_int exact = 0;
        if (!to_nanoseconds(static_cast<const T*>(object)->time_since_epoch(), exact)) {
            problem = "the time is no whole number of nanoseconds";
            return false;
        }
        wide_int seconds = exact / second;
        if (exact % second < 0) --seconds;
        if (seconds < first_second || seconds > last_second) {
            problem = "the time is not in the years 0 to 9999";
            return false;
        }
        auto* const made = ::new (place) time_text;
        made->view = write_time({static_cast<std::int64_t>(seconds),
                                 static_cast<std::uint32_t>(exact - seconds * second)},
                                made->letters);
        return true;
    }
};
static_assert(sizeof(time_text) <= scalar_hooks::place_size);

/// What the user's function made, or why it made nothing.
template <class T>
struct scalar_result {
    using type = T;
    static T* get(T& made, std::string&) { return &made; }
};
template <class T>
struct scalar_result<std::optional<T>> {
    using type = T;
    static T* get(std::optional<T>& made, std::string& problem) {
        if (!made) problem = "expected a value that the type accepts";
        return made ? &*made : nullptr;
    }
};
template <class T, class E>
struct scalar_result<std::expected<T, E>> {
    using type = T;
    static T* get(std::expected<T, E>& made, std::string& problem) {
        if (!made) problem = std::string_view{made.error()};
        return made ? &*made : nullptr;
    }
};

template <class Function>
bool without_exceptions(std::string& problem, const Function& function) {
    try {
        return function();
    } catch (const std::exception& thrown) {
        problem = thrown.what();
    } catch (...) {
        problem = "the type's own function threw";
    }
    return false;
}

template <class>
struct only_argument {
    using type = void;
};
template <class T>
struct only_argument<type_list<T>> {
    using type = std::remove_cvref_t<T>;
};

template <class T>
struct user_scalar {
    using made = std::remove_cvref_t<decltype(scalar<T>::to_wire(std::declval<const T&>()))>;
    using result = scalar_result<made>;
    using wire_text = std::is_convertible<typename result::type, const char*>;
    using read_type =
        typename only_argument<typename callable<decltype(&scalar<T>::from_wire)>::arguments>::type;
    using written_type =
        std::conditional_t<wire_text::value, std::string_view, typename result::type>;
    static constexpr bool is_time = false;

    static bool from_wire(void* object, const void* wire, std::string& problem) {
        return without_exceptions(problem, [&] {
            auto given = scalar<T>::from_wire(*static_cast<const read_type*>(wire));
            auto* const value = scalar_result<decltype(given)>::get(given, problem);
            if (value != nullptr) *static_cast<T*>(object) = std::move(*value);
            return value != nullptr;
        });
    }
    static bool to_wire(const void* object, void* place, std::string& problem) {
        return without_exceptions(problem, [&] {
            auto given = scalar<T>::to_wire(*static_cast<const T*>(object));
            auto* const value = result::get(given, problem);
            if (value != nullptr) ::new (place) written_type{std::move(*value)};
            return value != nullptr;
        });
    }
};

template <class T>
struct scalar_of {
    using type = user_scalar<T>;
};
template <class T>
    requires(duration_traits<T>::is && !has_scalar<T>)
struct scalar_of<T> {
    using type = duration_scalar<T>;
};
template <class T>
    requires(time_traits<T>::is && !has_scalar<T>)
struct scalar_of<T> {
    using type = time_scalar<T>;
};

}  // namespace waybill::detail
