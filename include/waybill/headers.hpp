/// The headers of a message: ordered, duplicates kept, values typed, names looked up without
/// regard to ASCII case.
///
/// Guarantee: what was appended comes back byte for byte, type for type, in the same order. A
/// `headers` is either the owner of its bytes or a view of a delivery's (`borrow`); a copy always
/// owns, what is moved from a view stays a view, and the first change to a view makes it an owner.
/// Not thread-safe.
#pragma once

#include <waybill/export.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waybill {

/// The headers that the runtime itself writes and reads (docs/architecture.md, section 6). The
/// number is stored in each packed entry, so that finding one compares a byte, not a name.
enum class known_header : std::uint8_t {
    none,
    retry_count,
    retry_source,
    due,
    expires_at,
    id,
    copy,
    cc,
    dupl_id,
    message_id,
    property,  ///< no header but a property of the protocol's own; its name begins with ':'
    dead_reason,
    dead_error,
    dead_source,
    dead_handler,
    dead_at,
    dead_first_at,
    dead_attempts,
    dead_host,
    dead_count,
};

/// "waybill-retry-count" and so on; "" for none and for a property.
WAYBILL_API std::string_view name_of(known_header header) noexcept;
/// Which of the runtime's own headers this name is, without regard to ASCII case; a name that
/// begins with ':' is a property's.
WAYBILL_API known_header known_header_named(std::string_view name) noexcept;

/// What a header value is.
enum class header_kind : std::uint8_t {
    null,
    boolean,
    integer,           ///< std::int64_t
    unsigned_integer,  ///< std::uint64_t
    floating,          ///< double
    text,              ///< UTF-8
    bytes,
};

/// One typed value. Text and bytes are borrowed: the value must not outlive what it views.
class WAYBILL_API header_value {
public:
    /// Null.
    constexpr header_value() noexcept = default;
    /// Of the kind of what is given; text and bytes are borrowed, everything else is copied. @{
    constexpr header_value(std::nullptr_t) noexcept {}
    constexpr header_value(bool value) noexcept : kind_{header_kind::boolean}, integer_{value} {}
    constexpr header_value(int value) noexcept : header_value{static_cast<long long>(value)} {}
    constexpr header_value(long value) noexcept : header_value{static_cast<long long>(value)} {}
    constexpr header_value(long long value) noexcept
        : kind_{header_kind::integer}, integer_{static_cast<std::uint64_t>(value)} {}
    constexpr header_value(unsigned value) noexcept
        : header_value{static_cast<unsigned long long>(value)} {}
    constexpr header_value(unsigned long value) noexcept
        : header_value{static_cast<unsigned long long>(value)} {}
    constexpr header_value(unsigned long long value) noexcept
        : kind_{header_kind::unsigned_integer}, integer_{value} {}
    constexpr header_value(double value) noexcept
        : kind_{header_kind::floating}, integer_{__builtin_bit_cast(std::uint64_t, value)} {}
    constexpr header_value(std::string_view value) noexcept
        : kind_{header_kind::text}, view_{value} {}
    constexpr header_value(const char* value) noexcept : header_value{std::string_view{value}} {}
    header_value(const std::string& value) noexcept : header_value{std::string_view{value}} {}
    header_value(std::span<const std::byte> value) noexcept
        : kind_{header_kind::bytes},
          view_{reinterpret_cast<const char*>(value.data()), value.size()} {}
    /// @}

    /// What it is; each getter below gives nothing where it is something else.
    [[nodiscard]] constexpr header_kind kind() const noexcept { return kind_; }
    /// Which of its protocol's types it has, where the protocol tells several of this kind apart: a
    /// transport's own number, 0 for the usual one. A copy keeps it. @{
    [[nodiscard]] constexpr std::uint8_t wire_type() const noexcept { return wire_type_; }
    [[nodiscard]] constexpr header_value as_wire_type(std::uint8_t type) const noexcept {
        auto same = *this;
        same.wire_type_ = type;
        return same;
    }
    /// @}
    /// The text of a text value, else nothing.
    [[nodiscard]] std::optional<std::string_view> text() const noexcept;
    /// The bytes of a bytes or text value, else nothing.
    [[nodiscard]] std::optional<std::span<const std::byte>> bytes() const noexcept;
    /// The value of an integer of either sign that fits, else nothing.
    [[nodiscard]] std::optional<std::int64_t> integer() const noexcept;
    /// The value of an integer that is not negative, else nothing.
    [[nodiscard]] std::optional<std::uint64_t> unsigned_integer() const noexcept;
    /// The value of exactly that kind, else nothing. @{
    [[nodiscard]] std::optional<bool> boolean() const noexcept;
    [[nodiscard]] std::optional<double> floating() const noexcept;
    /// @}
    /// For people: text as it is, bytes in hexadecimal, numbers in decimal.
    [[nodiscard]] std::string to_string() const;

    /// Equal kinds, types of the protocol and content; 1 and 1U are not equal.
    WAYBILL_API friend bool operator==(const header_value& a, const header_value& b) noexcept;

private:
    friend class headers;
    header_kind kind_ = header_kind::null;
    std::uint8_t wire_type_ = 0;
    std::uint64_t integer_ = 0;
    std::string_view view_;
};

/// A name with its value, both borrowed from the headers they come from.
struct header {
    std::string_view name;                    ///< as it was written, case and all
    header_value value;                       ///< views the same headers
    known_header known = known_header::none;  ///< which of the runtime's own it is

    /// Not a header of the message's own, but a property of the protocol's (`:content_type`).
    [[nodiscard]] bool is_property() const noexcept { return known == known_header::property; }
};

class WAYBILL_API headers {
public:
    class const_iterator;

    headers() noexcept = default;
    /// An owner of these, in this order. Throws as `append` does.
    headers(std::initializer_list<std::pair<std::string_view, header_value>> pairs);
    /// A view of packed bytes that something else owns and that outlive the view.
    [[nodiscard]] static headers borrow(std::span<const std::byte> packed) noexcept {
        headers view;
        view.data_ = packed.data();
        view.size_ = packed.size();
        return view;
    }
    /// Views other packed bytes from now on; what was owned is given up.
    void look_at(std::span<const std::byte> packed) noexcept {
        if (!owned_.empty()) [[unlikely]]
            owned_.clear();
        data_ = packed.data();
        size_ = packed.size();
    }
    /// An owner of a copy of these packed bytes.
    [[nodiscard]] static headers copy_of(std::span<const std::byte> packed) {
        const auto view = borrow(packed);
        return headers{view};
    }
    /// A copy owns its bytes, whatever the other was; what is moved from is empty. @{
    headers(const headers& other);
    headers& operator=(const headers& other);
    headers(headers&& other) noexcept;
    headers& operator=(headers&& other) noexcept;
    /// @}
    ~headers() = default;

    /// True when there is no header.
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    /// How many headers there are; walks them.
    [[nodiscard]] std::size_t count() const noexcept;

    /// The value of the first header of that name, or nothing. It views these headers, and is good
    /// until they change. @{
    [[nodiscard]] std::optional<header_value> find(std::string_view name) const noexcept;
    [[nodiscard]] std::optional<header_value> find(known_header known) const noexcept;
    /// @}
    /// The text of the first header of that name where it is text, else nothing.
    [[nodiscard]] std::optional<std::string_view> text(std::string_view name) const noexcept;
    /// Is there a header of that name?
    [[nodiscard]] bool contains(std::string_view name) const noexcept;

    /// Adds at the end, whatever is there already. Throws std::length_error for a name above
    /// 65,535 bytes or a value of 4 GiB, and then changes nothing. @{
    headers& append(std::string_view name, header_value value);
    headers& append(known_header known, header_value value);
    /// @}
    /// Replaces the first header of that name where it stands and removes the others of that
    /// name; appends when there is none. Throws as `append` does.
    headers& set(std::string_view name, header_value value);
    /// Removes every header of that name; says how many there were.
    std::size_t remove(std::string_view name);
    /// Removes all. An owner keeps its memory.
    void clear() noexcept;

    /// In the order of appending. @{
    [[nodiscard]] inline const_iterator begin() const noexcept;
    [[nodiscard]] inline const_iterator end() const noexcept;
    /// @}

    /// The packed form, as transports and stores carry it.
    [[nodiscard]] std::span<const std::byte> packed() const noexcept { return {data_, size_}; }

    /// The same headers, with equal types and bytes, in the same order.
    WAYBILL_API friend bool operator==(const headers& a, const headers& b) noexcept;

private:
    void own();
    void point() noexcept {
        data_ = owned_.data();
        size_ = owned_.size();
    }
    headers& append_as(known_header known, std::string_view name, header_value value);
    void write(std::size_t at, known_header known, std::string_view name, header_value value);

    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::vector<std::byte> owned_;
};

/// For people and test failures: each name with its value.
WAYBILL_API std::ostream& operator<<(std::ostream& stream, const headers& all);

namespace detail {

/// Packed layout of one header: this prefix, the name, the value. Host byte order: the packed form
/// never leaves the process.
struct packed_header {
    std::uint8_t known;
    std::uint8_t type;  ///< a header_kind, and in the upper bits the protocol's own type
    std::uint16_t name_size;
    std::uint32_t value_size;
};
static_assert(sizeof(packed_header) == 8);

inline constexpr unsigned header_kind_bits = 3;
inline constexpr std::uint8_t most_wire_types = 1U << (8U - header_kind_bits);
constexpr std::uint8_t packed_type(header_kind kind, std::uint8_t wire_type) noexcept {
    return static_cast<std::uint8_t>(static_cast<unsigned>(kind) | static_cast<unsigned>(wire_type)
                                                                       << header_kind_bits);
}
constexpr header_kind kind_in(packed_header prefix) noexcept {
    return static_cast<header_kind>(prefix.type & ((1U << header_kind_bits) - 1U));
}

inline packed_header read_prefix(const std::byte* at) noexcept {
    packed_header prefix;
    std::memcpy(&prefix, at, sizeof prefix);
    return prefix;
}

WAYBILL_API header read_header(const std::byte* at) noexcept;

inline std::string_view name_in(const std::byte* at) noexcept {
    return {reinterpret_cast<const char*>(at + sizeof(packed_header)), read_prefix(at).name_size};
}

inline std::size_t packed_size(packed_header prefix) noexcept {
    return sizeof prefix + prefix.name_size + prefix.value_size;
}

/// ASCII letters compare without case, all other bytes as they are.
WAYBILL_API bool same_name(std::string_view a, std::string_view b) noexcept;

}  // namespace detail

/// Walks the headers in order. What it gives views them, and is good until they change.
class headers::const_iterator {
public:
    /// What the standard library asks of a forward iterator. @{
    using iterator_category = std::forward_iterator_tag;
    using value_type = header;
    using difference_type = std::ptrdiff_t;
    using pointer = const header*;
    using reference = header;

    const_iterator() noexcept = default;
    explicit const_iterator(const std::byte* at) noexcept : at_{at} {}

    header operator*() const noexcept { return detail::read_header(at_); }
    const_iterator& operator++() noexcept {
        at_ += detail::packed_size(detail::read_prefix(at_));
        return *this;
    }
    const_iterator operator++(int) noexcept {
        auto before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const_iterator, const_iterator) noexcept = default;
    /// @}

private:
    const std::byte* at_ = nullptr;
};

headers::const_iterator headers::begin() const noexcept { return const_iterator{data_}; }
headers::const_iterator headers::end() const noexcept { return const_iterator{data_ + size_}; }

}  // namespace waybill
