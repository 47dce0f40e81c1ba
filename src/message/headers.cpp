#include "message/known_names.hpp"
#include <waybill/headers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <stdexcept>

namespace waybill {
namespace {

constexpr std::string_view prefix = "waybill-";

char lower(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
}

bool is_number(header_kind kind) noexcept {
    return kind == header_kind::boolean || kind == header_kind::integer ||
           kind == header_kind::unsigned_integer || kind == header_kind::floating;
}

std::string in_hexadecimal(std::string_view bytes) {
    std::string text;
    for (const unsigned char byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
    return text;
}

}  // namespace

std::string_view name_of(known_header header) noexcept {
    return known_names[static_cast<std::size_t>(header)];
}

known_header known_header_named(std::string_view name) noexcept {
    if (name.starts_with(':')) return known_header::property;
    if (name.size() <= prefix.size() || !detail::same_name(name.substr(0, prefix.size()), prefix)) {
        return known_header::none;
    }
    for (std::size_t at = 1; at < known_names.size(); ++at) {
        if (detail::same_name(known_names[at], name)) return static_cast<known_header>(at);
    }
    return known_header::none;
}

namespace detail {

bool same_name(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                              [](char x, char y) { return lower(x) == lower(y); });
}

header read_header(const std::byte* at) noexcept {
    const auto entry = read_prefix(at);
    const auto* name = reinterpret_cast<const char*>(at + sizeof entry);
    const auto* value = name + entry.name_size;
    header result{{name, entry.name_size}, {}, static_cast<known_header>(entry.known)};
    switch (kind_in(entry)) {
        case header_kind::null:
            break;
        case header_kind::text:
            result.value = std::string_view{value, entry.value_size};
            break;
        case header_kind::bytes:
            result.value = std::as_bytes(std::span{value, entry.value_size});
            break;
        case header_kind::boolean:
            result.value = *value != 0;
            break;
        case header_kind::integer: {
            long long number = 0;
            std::memcpy(&number, value, sizeof number);
            result.value = number;
            break;
        }
        case header_kind::unsigned_integer: {
            unsigned long long number = 0;
            std::memcpy(&number, value, sizeof number);
            result.value = number;
            break;
        }
        case header_kind::floating: {
            double number = 0;
            std::memcpy(&number, value, sizeof number);
            result.value = number;
            break;
        }
    }
    result.value = result.value.as_wire_type(entry.type >> header_kind_bits);
    return result;
}

}  // namespace detail

std::optional<std::string_view> header_value::text() const noexcept {
    if (kind_ != header_kind::text) return std::nullopt;
    return view_;
}

std::optional<std::span<const std::byte>> header_value::bytes() const noexcept {
    if (kind_ != header_kind::text && kind_ != header_kind::bytes) return std::nullopt;
    return std::as_bytes(std::span{view_});
}

std::optional<std::int64_t> header_value::integer() const noexcept {
    const bool fits = kind_ == header_kind::integer ||
                      (kind_ == header_kind::unsigned_integer && integer_ <= INT64_MAX);
    if (!fits) return std::nullopt;
    return static_cast<std::int64_t>(integer_);
}

std::optional<std::uint64_t> header_value::unsigned_integer() const noexcept {
    const bool fits = kind_ == header_kind::unsigned_integer ||
                      (kind_ == header_kind::integer && integer_ <= INT64_MAX);
    if (!fits) return std::nullopt;
    return integer_;
}

std::optional<bool> header_value::boolean() const noexcept {
    if (kind_ != header_kind::boolean) return std::nullopt;
    return integer_ != 0;
}

std::optional<double> header_value::floating() const noexcept {
    if (kind_ != header_kind::floating) return std::nullopt;
    return __builtin_bit_cast(double, integer_);
}

std::string header_value::to_string() const {
    switch (kind_) {
        case header_kind::null:
            return "null";
        case header_kind::boolean:
            return integer_ != 0 ? "true" : "false";
        case header_kind::integer:
            return std::to_string(static_cast<std::int64_t>(integer_));
        case header_kind::unsigned_integer:
            return std::to_string(integer_);
        case header_kind::floating:
            return fmt::format("{}", __builtin_bit_cast(double, integer_));
        case header_kind::text:
            return std::string{view_};
        case header_kind::bytes:
            return in_hexadecimal(view_);
    }
    return {};
}

bool operator==(const header_value& a, const header_value& b) noexcept {
    return a.kind_ == b.kind_ && a.wire_type_ == b.wire_type_ && a.integer_ == b.integer_ &&
           a.view_ == b.view_;
}

headers::headers(std::initializer_list<std::pair<std::string_view, header_value>> pairs) {
    for (const auto& [name, value] : pairs) append(name, value);
}

headers::headers(const headers& other) : owned_{other.data_, other.data_ + other.size_} { point(); }

headers& headers::operator=(const headers& other) {
    if (this != &other) {
        // A view of this very object may be what is assigned.
        std::vector<std::byte> kept{other.data_, other.data_ + other.size_};
        owned_ = std::move(kept);
        point();
    }
    return *this;
}

headers::headers(headers&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)},
      size_{std::exchange(other.size_, 0)},
      owned_{std::move(other.owned_)} {}

headers& headers::operator=(headers&& other) noexcept {
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    owned_ = std::move(other.owned_);
    return *this;
}

void headers::own() {
    if (data_ == owned_.data() && size_ == owned_.size()) return;
    owned_.assign(data_, data_ + size_);
    point();
}

std::size_t headers::count() const noexcept {
    return static_cast<std::size_t>(std::distance(begin(), end()));
}

std::optional<header_value> headers::find(std::string_view name) const noexcept {
    for (const auto& entry : *this) {
        if (detail::same_name(entry.name, name)) return entry.value;
    }
    return std::nullopt;
}

std::optional<header_value> headers::find(known_header known) const noexcept {
    for (const auto* at = data_; at != data_ + size_;) {
        const auto entry = detail::read_prefix(at);
        if (entry.known == static_cast<std::uint8_t>(known)) return detail::read_header(at).value;
        at += detail::packed_size(entry);
    }
    return std::nullopt;
}

std::optional<std::string_view> headers::text(std::string_view name) const noexcept {
    const auto found = find(name);
    return found ? found->text() : std::nullopt;
}

bool headers::contains(std::string_view name) const noexcept { return find(name).has_value(); }

void headers::write(std::size_t at, known_header known, std::string_view name, header_value value) {
    std::string_view content = value.view_;
    const auto scalar = value.integer_;
    if (is_number(value.kind_)) {
        const std::size_t width = value.kind_ == header_kind::boolean ? 1 : sizeof scalar;
        content = {reinterpret_cast<const char*>(&scalar), width};
    }
    const detail::packed_header entry{
        static_cast<std::uint8_t>(known), detail::packed_type(value.kind_, value.wire_type_),
        static_cast<std::uint16_t>(name.size()), static_cast<std::uint32_t>(content.size())};
    auto* to = owned_.data() + at;
    std::memcpy(to, &entry, sizeof entry);
    if (!name.empty()) std::memcpy(to + sizeof entry, name.data(), name.size());
    if (!content.empty()) {
        std::memcpy(to + sizeof entry + name.size(), content.data(), content.size());
    }
}

namespace {

/// Throws where a length does not fit its field, so that nothing is changed before that is known.
std::size_t size_when_packed(std::string_view name, const header_value& value) {
    std::size_t content = 0;
    if (value.kind() == header_kind::boolean) {
        content = 1;
    } else if (is_number(value.kind())) {
        content = sizeof(std::uint64_t);
    } else if (const auto bytes = value.bytes()) {
        content = bytes->size();
    }
    if (name.size() > UINT16_MAX) {
        throw std::length_error("waybill: a header name is at most 65,535 bytes long");
    }
    if (content > UINT32_MAX) {
        throw std::length_error("waybill: a header value is smaller than 4 GiB");
    }
    return sizeof(detail::packed_header) + name.size() + content;
}

/// A value may view the very headers that it is about to be written into.
struct kept_value {
    std::string name;
    std::string content;
    header_value value;

    kept_value(std::string_view from_name, header_value from) : name{from_name}, value{from} {
        const auto bytes = from.bytes();
        if (!bytes) return;
        content.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
        value = from.kind() == header_kind::text
                    ? header_value{std::string_view{content}}
                    : header_value{std::as_bytes(std::span<const char>{content})};
        value = value.as_wire_type(from.wire_type());
    }
};

}  // namespace

headers& headers::append(std::string_view name, header_value value) {
    return append_as(known_header_named(name), name, value);
}

headers& headers::append(known_header known, header_value value) {
    return append_as(known, name_of(known), value);
}

headers& headers::append_as(known_header known, std::string_view name, header_value value) {
    const auto inside = [&](const void* at) { return at >= data_ && at < data_ + size_; };
    const auto bytes = value.bytes();
    if (size_ != 0 && (inside(name.data()) || (bytes && inside(bytes->data())))) {
        const kept_value kept{name, value};
        return append_as(known, kept.name, kept.value);
    }
    const auto size = size_when_packed(name, value);
    own();
    const auto at = owned_.size();
    owned_.resize(at + size);
    write(at, known, name, value);
    point();
    return *this;
}

headers& headers::set(std::string_view name, header_value value) {
    const kept_value kept{name, value};
    headers changed;
    bool written = false;
    for (const auto& entry : *this) {
        if (!detail::same_name(entry.name, kept.name)) {
            changed.append_as(entry.known, entry.name, entry.value);
        } else if (!written) {
            changed.append(kept.name, kept.value);
            written = true;
        }
    }
    if (!written) changed.append(kept.name, kept.value);
    return *this = std::move(changed);
}

std::size_t headers::remove(std::string_view name) {
    const std::string kept{name};
    headers changed;
    std::size_t removed = 0;
    for (const auto& entry : *this) {
        if (detail::same_name(entry.name, kept)) {
            ++removed;
        } else {
            changed.append_as(entry.known, entry.name, entry.value);
        }
    }
    if (removed != 0) *this = std::move(changed);
    return removed;
}

void headers::clear() noexcept {
    owned_.clear();
    point();
}

bool operator==(const headers& a, const headers& b) noexcept {
    return a.size_ == b.size_ && std::equal(a.data_, a.data_ + a.size_, b.data_);
}

std::ostream& operator<<(std::ostream& stream, const headers& all) {
    stream << '{';
    const char* between = "";
    for (const auto& entry : all) {
        stream << between << entry.name << ": " << entry.value.to_string();
        between = ", ";
    }
    return stream << '}';
}

}  // namespace waybill
