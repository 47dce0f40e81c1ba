/// What a message is made of: `value_type_of<T>()` describes any value that a codec can read or
/// write, without a macro or a base class in the message type.
///
/// Guarantee: the description of a type is made once, never changes and outlives the program's
/// threads; it may be read by many threads at once. Reading a payload by it into an object that was
/// used before gives exactly what a fresh `T{}` would hold, while strings and vectors keep their
/// capacity.
///
/// Messages are aggregates at namespace scope with up to 32 public members: integers, `bool`,
/// `float`, `double`, `std::string`, enums (by enumerator's name), `std::vector<std::byte>`
/// (bytes), `std::vector`, `std::optional` and other such aggregates, which may contain themselves
/// through a vector. What cannot be described does not compile, with a sentence that says why.
#pragma once

#include <waybill/detail/aggregate_shape.hpp>
#include <waybill/detail/enumerators.hpp>
#include <waybill/detail/type_text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace waybill {

struct value_type;

/// How a codec treats a value.
enum class value_kind : std::uint8_t {
    none,
    boolean,
    signed_integer,    ///< of `size` bytes
    unsigned_integer,  ///< of `size` bytes
    float32,
    float64,
    string,       ///< std::string holding UTF-8
    bytes,        ///< std::vector<std::byte>
    enumeration,  ///< an integer of `size` bytes; `enumerators` has the names
    optional,     ///< `element` or nothing; `optional` has the hooks
    sequence,     ///< many of `element`; `sequence` has the hooks
    bits,         ///< std::vector<bool>
    aggregate,    ///< `fields`
};

/// What a codec needs of a std::optional.
struct optional_hooks {
    void* (*engage)(void* optional);           ///< its value, made as `T{}` if there was none
    void (*clear)(void* optional);             ///< leaves it without a value
    const void* (*get)(const void* optional);  ///< its value or null
};

/// What a codec needs of a growing sequence. Elements lie next to each other.
struct sequence_hooks {
    std::size_t (*size)(const void* sequence) noexcept;
    void* (*data)(void* sequence) noexcept;  ///< the first element; valid until `extend`
    void* (*extend)(void* sequence);         ///< the new last element; its content is unspecified
    void (*truncate)(void* sequence, std::size_t size);  ///< keeps the first `size` elements
};

/// One member of an aggregate.
struct field_info {
    /// The name and a quote, as a key ends in JSON; 16 bytes may be read from any of its
    /// characters.
    const char* key_text = nullptr;
    std::uint32_t name_size = 0;
    std::uint32_t offset = 0;
    /// The first 8 bytes behind the opening quote and which of their bits matter.
    std::uint64_t head = 0;
    std::uint64_t mask = 0;
    const value_type* type = nullptr;
    /// An optional that is empty in `T{}`: absent means `clear`, else a copy of the pristine value.
    bool absent_is_empty = false;

    [[nodiscard]] std::string_view name() const noexcept { return {key_text + 1, name_size}; }
    [[nodiscard]] void* of(void* object) const noexcept {
        return static_cast<std::byte*>(object) + offset;
    }
    [[nodiscard]] const void* of(const void* object) const noexcept {
        return static_cast<const std::byte*>(object) + offset;
    }
};

/// The description of one type. Obtained from `value_type_of`, never made by hand.
struct value_type {
    value_kind kind = value_kind::none;
    std::uint32_t size = 0;
    std::uint32_t align = 0;
    /// Aggregates: bit i is set when `fields[i]` must be in the payload.
    std::uint32_t required = 0;
    /// Integers: the largest value, and the magnitude of the smallest.
    std::uint64_t largest = 0;
    std::uint64_t smallest = 0;
    std::span<const field_info> fields;
    const value_type* element = nullptr;
    const sequence_hooks* sequence = nullptr;
    const optional_hooks* optional = nullptr;
    std::span<const enumerator> enumerators;
    /// Aggregates: a `T{}` that nobody changes.
    const void* pristine = nullptr;
    /// For people: "refund", "std::vector<line>".
    std::string_view name;

    void (*construct)(void* place) = nullptr;              ///< makes a `T{}` in raw storage
    void (*destroy)(void* object) noexcept = nullptr;      ///< ends its life
    void (*reset)(void* object) = nullptr;                 ///< assigns `T{}`
    void (*assign)(void* to, const void* from) = nullptr;  ///< copies
};

namespace detail {

template <class T>
struct optional_traits {
    static constexpr bool is = false;
};

template <class T>
struct optional_traits<std::optional<T>> {
    static constexpr bool is = true;
    using element = T;
    static constexpr optional_hooks hooks{
        [](void* at) -> void* {
            auto& value = *static_cast<std::optional<T>*>(at);
            if (!value) value.emplace(T{});
            return &*value;
        },
        [](void* at) { static_cast<std::optional<T>*>(at)->reset(); },
        [](const void* at) -> const void* {
            const auto& value = *static_cast<const std::optional<T>*>(at);
            return value ? &*value : nullptr;
        }};
};

/// Elements that a shorter message did not need, kept for the next longer one on this thread:
/// destroying them would free the capacity of the strings inside.
template <class T>
std::vector<T>& spare_elements() {
    thread_local std::vector<T> spares;
    return spares;
}

inline constexpr std::size_t max_spare_elements = 64;

template <class T>
struct vector_traits {
    static constexpr bool is = false;
};

template <class T>
struct vector_traits<std::vector<T>> {
    static constexpr bool is = true;
    using element = T;
    using vector = std::vector<T>;
    static constexpr bool worth_keeping = !std::is_trivially_destructible_v<T>;

    static void* extend(void* at) {
        auto& all = *static_cast<vector*>(at);
        if constexpr (worth_keeping) {
            if (auto& spares = spare_elements<T>(); !spares.empty()) {
                all.push_back(std::move(spares.back()));
                spares.pop_back();
                return &all.back();
            }
        }
        return &all.emplace_back();
    }

    static void truncate(void* at, std::size_t size) {
        auto& all = *static_cast<vector*>(at);
        if constexpr (worth_keeping) {
            auto& spares = spare_elements<T>();
            for (std::size_t i = all.size(); i > size && spares.size() < max_spare_elements; --i)
                spares.push_back(std::move(all[i - 1]));
        }
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(size), all.end());
    }

    static constexpr sequence_hooks hooks{
        [](const void* at) noexcept { return static_cast<const vector*>(at)->size(); },
        [](void* at) noexcept -> void* { return static_cast<vector*>(at)->data(); }, extend,
        truncate};
};

template <class T>
concept character =
    std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
    std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

template <class T>
consteval value_kind kind_of() {
    if constexpr (std::is_same_v<T, bool>)
        return value_kind::boolean;
    else if constexpr (character<T> || std::is_same_v<T, std::byte>)
        return value_kind::none;
    else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
        return std::is_signed_v<T> ? value_kind::signed_integer : value_kind::unsigned_integer;
    else if constexpr (std::is_same_v<T, float>)
        return value_kind::float32;
    else if constexpr (std::is_same_v<T, double>)
        return value_kind::float64;
    else if constexpr (std::is_same_v<T, std::string>)
        return value_kind::string;
    else if constexpr (std::is_same_v<T, std::vector<std::byte>>)
        return value_kind::bytes;
    else if constexpr (std::is_same_v<T, std::vector<bool>>)
        return value_kind::bits;
    else if constexpr (std::is_enum_v<T>)
        return nameable_enum<T> ? value_kind::enumeration : value_kind::none;
    else if constexpr (optional_traits<T>::is)
        return value_kind::optional;
    else if constexpr (vector_traits<T>::is)
        return value_kind::sequence;
    else if constexpr (std::is_class_v<T>)
        return value_kind::aggregate;
    else
        return value_kind::none;
}

/// Instantiated for every type that is described, so that the compiler names `Type`.
template <class Type>
struct described_type {
    static constexpr auto kind = kind_of<Type>();
    static_assert(!std::is_const_v<Type>,
                  "waybill: a message cannot have a const member: the next message is read into "
                  "the same object");
    static_assert(!character<Type>,
                  "waybill: a character type is neither text nor a number on the wire: use "
                  "std::string or std::int8_t / std::uint8_t");
    static_assert(!std::is_same_v<Type, std::byte>,
                  "waybill: a single std::byte has no wire form: use std::uint8_t, or "
                  "std::vector<std::byte> for bytes");
    static_assert(!std::is_enum_v<Type> || nameable_enum<Type> || std::is_same_v<Type, std::byte>,
                  "waybill: an unscoped enum needs a fixed type (enum e : int) to be read by name");
    static_assert(kind != value_kind::none || character<Type> || std::is_enum_v<Type> ||
                      std::is_const_v<Type>,
                  "waybill: this type cannot be read or written: use a number, bool, std::string, "
                  "enum, std::optional, std::vector or a plain struct of these");
};

template <class T>
struct type_text {
    static constexpr std::string_view view = short_type_name<T>();
};
template <class T>
    requires(std::is_floating_point_v<T> || std::is_same_v<T, bool>)
struct type_text<T> {
    static constexpr std::string_view view = pretty_type<T>();
};
template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct type_text<T> {
    static constexpr std::size_t width = std::countr_zero(sizeof(T));
    static constexpr std::array<std::string_view, 8> names{
        "std::uint8_t", "std::uint16_t", "std::uint32_t", "std::uint64_t",
        "std::int8_t",  "std::int16_t",  "std::int32_t",  "std::int64_t"};
    static constexpr std::string_view view = names[width + (std::is_signed_v<T> ? 4 : 0)];
};
template <>
struct type_text<std::string> {
    static constexpr std::string_view view = "std::string";
};
template <class T>
struct type_text<std::vector<T>> {
    static constexpr std::string_view inner = type_text<T>::view;
    static constexpr auto text = join_text<inner.size() + 13>({"std::vector<", inner, ">"});
    static constexpr std::string_view view = text.view();
};
template <class T>
struct type_text<std::optional<T>> {
    static constexpr std::string_view inner = type_text<T>::view;
    static constexpr auto text = join_text<inner.size() + 15>({"std::optional<", inner, ">"});
    static constexpr std::string_view view = text.view();
};
template <>
struct type_text<std::vector<std::byte>> {
    static constexpr std::string_view view = "std::vector<std::byte>";
};

/// Descriptions are filled in at run time, because the address of a member is not a constant; the
/// storage is there before, so that a type may refer to itself.
template <class T>
inline constinit value_type description{};

template <class T>
inline constinit std::array<field_info, reflected_type<T>::count> field_storage{};

inline std::mutex& description_lock() {
    static std::mutex lock;
    return lock;
}

template <class T>
const value_type& describe();

inline void set_head(field_info& entry) noexcept {
    const std::size_t size = std::min<std::size_t>(entry.name_size + 1, 8);
    std::memcpy(&entry.head, entry.key_text + 1, size);
    std::memset(&entry.mask, 0xff, size);
}

template <class T, std::size_t Index>
void describe_field(value_type& owner, const T& pristine) {
    constexpr std::size_t count = reflected_type<T>::count;
    using key = member_key<T, count, Index>;
    const auto* member = std::get<Index>(member_pointers<count>(pristine));
    // The member's own type, const included: `member` points to const because `pristine` is.
    T* const mutable_object = nullptr;
    using member_type = std::remove_pointer_t<
        std::tuple_element_t<Index, decltype(member_pointers<count>(*mutable_object))>>;

    field_info& entry = field_storage<T>[Index];
    entry.key_text = key::text.bytes.data();
    entry.name_size = static_cast<std::uint32_t>(key::name_size);
    entry.offset = static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(member) -
                                              reinterpret_cast<const std::byte*>(&pristine));
    set_head(entry);
    entry.type = &describe<member_type>();
    if constexpr (optional_traits<member_type>::is)
        entry.absent_is_empty = !member->has_value();
    else
        owner.required |= std::uint32_t{1} << Index;
}

template <class T, std::size_t... Index>
void describe_fields(value_type& about, std::index_sequence<Index...>) {
    const T* pristine = new T{};  // lives as long as the program
    about.pristine = pristine;
    (describe_field<T, Index>(about, *pristine), ...);
    about.fields = field_storage<T>;
}

template <class T>
void describe_number(value_type& about) noexcept {
    if constexpr (std::is_integral_v<T>) {
        about.largest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
        about.smallest = std::is_signed_v<T> ? about.largest + 1 : 0;
    }
}

template <class T>
void describe_life(value_type& about) noexcept {
    about.size = sizeof(T);
    about.align = alignof(T);
    about.name = type_text<T>::view;
    about.construct = [](void* place) { ::new (place) T{}; };
    about.destroy = [](void* object) noexcept { static_cast<T*>(object)->~T(); };
    about.reset = [](void* object) { *static_cast<T*>(object) = T{}; };
    about.assign = [](void* to, const void* from) {
        *static_cast<T*>(to) = *static_cast<const T*>(from);
    };
}

template <class T>
consteval bool can_reflect() {
    constexpr value_kind kind = kind_of<T>();
    if constexpr (std::is_const_v<T>)
        return false;
    else if constexpr (kind == value_kind::aggregate)
        return find_shape_fault<T>() == shape_fault::none;
    else
        return kind != value_kind::none;
}

template <class T, value_kind Kind>
void describe_as(value_type& about) {
    about.kind = Kind;
    describe_life<T>(about);
    describe_number<T>(about);
    if constexpr (Kind == value_kind::enumeration) {
        about.enumerators = std::span{enumerators<T>.items}.first(enumerators<T>.count);
    } else if constexpr (Kind == value_kind::optional) {
        about.optional = &optional_traits<T>::hooks;
        about.element = &describe<typename optional_traits<T>::element>();
    } else if constexpr (Kind == value_kind::sequence) {
        about.sequence = &vector_traits<T>::hooks;
        about.element = &describe<typename vector_traits<T>::element>();
    } else if constexpr (Kind == value_kind::aggregate) {
        describe_fields<T>(about, std::make_index_sequence<reflected_type<T>::count>{});
    }
}

/// Fills the description of `T` and of what it contains. The lock is held.
template <class T>
const value_type& describe() {
    constexpr value_kind kind = kind_of<T>();
    static_assert(sizeof(described_type<T>) != 0);
    value_type& about = description<T>;
    if (about.kind != value_kind::none) return about;
    if constexpr (kind == value_kind::aggregate) {
        static_assert(reflected_type<T>::count <= max_fields);
    }
    // A type with a fault has had its sentence; what follows would only bury it.
    if constexpr (can_reflect<T>()) describe_as<T, kind>(about);
    return about;
}

}  // namespace detail

/// `T` can be a message. Looks at `T` itself; a member that cannot be read is found, with a
/// sentence, when the type is described.
template <class T>
concept reflectable = std::is_same_v<T, std::remove_cvref_t<T>> && detail::can_reflect<T>();

/// The description of `T`. The first call for a type takes a lock and may allocate; later ones cost
/// a load. Any thread.
template <class T>
const value_type& value_type_of() noexcept {
    static const value_type& about = [] -> const value_type& {
        const std::scoped_lock lock{detail::description_lock()};
        return detail::describe<T>();
    }();
    return about;
}

/// The members of the aggregate `T`, in order of declaration.
template <reflectable T>
    requires(detail::kind_of<T>() == value_kind::aggregate)
std::span<const field_info> fields_of() noexcept {
    return value_type_of<T>().fields;
}

}  // namespace waybill
