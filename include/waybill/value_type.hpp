/// The table by which codecs read and write a C++ value: what kind it is, where its parts lie, and
/// functions for what only its type can do.
///
/// Guarantee: a table is made once, never changes and outlives the program's threads; it may be
/// read by many threads at once. Obtained from `value_type_of` (fields.hpp), never made by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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
    string,           ///< std::string holding UTF-8
    bytes,            ///< std::vector<std::byte>
    enumeration,      ///< an integer of `size` bytes; `enumerators` has the names
    optional,         ///< `element` or nothing; `optional` has the hooks
    sequence,         ///< many of `element`; `sequence` has the hooks
    bits,             ///< std::vector<bool>
    aggregate,        ///< `fields`
    borrowed_string,  ///< std::string_view into the payload or the arena
    borrowed_bytes,   ///< std::span<const std::byte> into the payload or the arena
    fixed_bytes,      ///< std::array<std::byte, length>
    array,            ///< `length` of `element`, next to each other from the object's address on
    map,              ///< text keys and values of `element`; `map` has the hooks
    variant,          ///< one of `alternatives`; `variant` has the hooks
    scalar,           ///< stands on the wire as another type; `scalar` has the hooks
    opaque,           ///< only a codec of the user's own knows how to read and write it
};

/// What one decode may still take from the heap: 48 bytes for each of the payload and 28 KiB, so
/// that a few bytes cannot ask for much. Strings take no more than the payload has, so only
/// elements, keys and default values are counted.
class memory_budget {
public:
    /// For a payload of so many bytes.
    explicit constexpr memory_budget(std::size_t payload) noexcept : left_{48 * payload + 28672} {}

    /// False, and nothing taken, when so many bytes are not left.
    [[nodiscard]] bool take(std::size_t bytes) noexcept {
        if (bytes > left_) return false;
        left_ -= bytes;
        return true;
    }
    /// What was taken and is not needed after all.
    void give_back(std::size_t bytes) noexcept { left_ += bytes; }
    /// What may still be taken, in bytes.
    [[nodiscard]] std::size_t left() const noexcept { return left_; }

private:
    std::size_t left_;
};

/// What a codec needs of a std::optional.
struct optional_hooks {
    void* (*engage)(void* optional);           ///< its value, made as `T{}` if there was none
    void (*clear)(void* optional);             ///< leaves it without a value
    const void* (*get)(const void* optional);  ///< its value or null
};

/// What a codec needs of a growing sequence. Elements lie next to each other.
struct sequence_hooks {
    std::size_t (*size)(const void* sequence) noexcept;  ///< in elements
    void* (*data)(void* sequence) noexcept;  ///< the first element; valid until `extend`
    /// Makes room for `size` elements in all when the budget allows it.
    void (*reserve)(void* sequence, std::size_t size, memory_budget& budget);
    /// The new last element, of unspecified content, or null when the budget is spent.
    void* (*extend)(void* sequence, memory_budget& budget);
    void (*truncate)(void* sequence, std::size_t size);  ///< keeps the first `size` elements
};

/// What a codec needs of a std::map or std::unordered_map with std::string keys.
struct map_hooks {
    /// Where the value of a key goes.
    struct place {
        void* value;  ///< of unspecified content when the key is new; null: the budget is spent
        bool is_new;  ///< the key was not in the map
    };
    /// Is given each entry and the `context` of the visit; false ends it.
    using visitor = bool (*)(void* context, std::string_view key, const void* value);

    std::size_t (*size)(const void* map) noexcept;  ///< in entries
    void (*clear)(void* map);                       ///< leaves it empty
    /// The place of this key, made when it is new and the budget allows it.
    place (*insert)(void* map, std::string_view key, memory_budget& budget);
    /// In the map's own order, until the visitor says false; then that is the answer.
    bool (*visit)(const void* map, visitor visitor, void* context);
};

/// What a codec needs of a std::variant.
struct variant_hooks {
    std::size_t (*index)(const void* variant) noexcept;  ///< no alternative's when valueless
    void* (*select)(void* variant, std::size_t index);   ///< its value, made as `T{}` if need be
    const void* (*get)(const void* variant) noexcept;    ///< its value
};

/// One alternative of a std::variant and its name on the wire.
struct alternative {
    std::string_view name;             ///< good for ever
    const value_type* type = nullptr;  ///< of its value; never null in a table
};

/// What a codec needs of a type that stands on the wire as another one (scalar.hpp). A false answer
/// leaves the reason in `problem`.
struct scalar_hooks {
    /// Bytes in which a value for the wire is made, aligned as any type.
    static constexpr std::size_t place_size = 64;

    const value_type* read = nullptr;     ///< what `from_wire` takes
    const value_type* written = nullptr;  ///< what `to_wire` makes
    /// Gives the object the value that was read.
    bool (*from_wire)(void* object, const void* wire, std::string& problem) = nullptr;
    /// Makes the value in `place`; the codec ends its life with `written->destroy`.
    bool (*to_wire)(const void* object, void* place, std::string& problem) = nullptr;
    bool is_time = false;  ///< RFC 3339 text, which has a tag of its own in CBOR
};

/// One enumerator: its name on the wire and its value.
struct enumerator {
    std::string_view name;   ///< good for ever
    std::int64_t value = 0;  ///< of an unsigned one above the range: its bits
};

/// One member of an aggregate.
struct field_info {
    /// The name and a quote, as a key ends in JSON; 16 bytes may be read from any of its
    /// characters.
    const char* key_text = nullptr;
    std::uint32_t name_size = 0;  ///< in bytes, without the quote
    std::uint32_t offset = 0;     ///< of the member, from the object's address
    /// The first 8 bytes behind the opening quote and which of their bits matter.
    std::uint64_t head = 0;
    std::uint64_t mask = 0;            ///< of `head`: bytes that do not belong to the key are 0
    const value_type* type = nullptr;  ///< of the member; never null in a table
    /// What a copy of the default takes from the heap.
    std::size_t default_bytes = 0;
    /// An optional that is empty in `pristine`: absent means `clear`, else a copy of what is there.
    bool absent_is_empty = false;

    /// As it stands on the wire; good for ever.
    [[nodiscard]] std::string_view name() const noexcept { return {key_text + 1, name_size}; }
    /// The member of this object, which must be of the aggregate. @{
    [[nodiscard]] void* of(void* object) const noexcept {
        return static_cast<std::byte*>(object) + offset;
    }
    [[nodiscard]] const void* of(const void* object) const noexcept {
        return static_cast<const std::byte*>(object) + offset;
    }
    /// @}
};

/// The description of one type.
struct value_type {
    value_kind kind = value_kind::none;  ///< which of the members below have a meaning
    /// Aggregates: a field that is not among `fields` is an error.
    bool is_closed = false;
    std::uint32_t size = 0;   ///< sizeof
    std::uint32_t align = 0;  ///< alignof
    /// Aggregates: bit i is set when `fields[i]` must be in the payload.
    std::uint32_t required = 0;
    /// Aggregates: the bits of `fields` and of the members behind them that are left out on the
    /// wire, which are as if they were always absent.
    std::uint32_t members = 0;
    std::uint32_t length = 0;    ///< of an array, in elements or bytes
    std::uint64_t largest = 0;   ///< of the integers of this type
    std::uint64_t smallest = 0;  ///< the magnitude of the smallest of them
    /// Aggregates: their members on the wire, in order of declaration.
    std::span<const field_info> fields;
    const value_type* element = nullptr;  ///< optionals, sequences, arrays and maps: what they hold
    /// What only the type itself can do; null for all other kinds. @{
    const sequence_hooks* sequence = nullptr;
    const optional_hooks* optional = nullptr;
    const map_hooks* map = nullptr;
    const variant_hooks* variant = nullptr;
    const scalar_hooks* scalar = nullptr;
    /// @}
    std::span<const enumerator> enumerators;    ///< enumerations: those that have a name
    std::span<const alternative> alternatives;  ///< variants, in their order
    /// Aggregates: a `T{}` with the defaults of absent fields, which nobody changes.
    const void* pristine = nullptr;
    /// What a `T{}` takes from the heap.
    std::size_t default_bytes = 0;
    /// For people: "refund", "std::vector<line>".
    std::string_view name;

    void (*construct)(void* place) = nullptr;              ///< makes a `T{}` in raw storage
    void (*destroy)(void* object) noexcept = nullptr;      ///< ends its life
    void (*assign)(void* to, const void* from) = nullptr;  ///< copies; null for some opaque types
};

}  // namespace waybill
