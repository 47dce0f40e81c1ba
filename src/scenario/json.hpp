/// A JSON value as a tree: what a scenario file is read into and what a line of a trace is made of.
///
/// Guarantee: the members of an object keep their order. Plain data; owned by whoever has it.
#pragma once

#include <waybill/export.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace waybill::scenario::json {

class value;
struct member;
using array = std::vector<value>;
using object = std::vector<member>;

class value {
public:
    value() noexcept;
    value(std::nullptr_t) noexcept;
    value(bool truth) noexcept;
    value(std::int64_t number) noexcept;
    value(std::uint64_t number) noexcept;
    value(std::uint32_t number) noexcept;
    value(int number) noexcept;
    value(double number) noexcept;
    value(std::string text) noexcept;
    value(std::string_view text);
    value(const char* text);
    value(json::array items) noexcept;
    value(json::object members) noexcept;

    [[nodiscard]] bool is_null() const noexcept {
        return std::holds_alternative<std::monostate>(is_);
    }
    /// Null when it is something else. @{
    [[nodiscard]] const bool* boolean() const noexcept { return std::get_if<bool>(&is_); }
    [[nodiscard]] const std::string* text() const noexcept {
        return std::get_if<std::string>(&is_);
    }
    [[nodiscard]] const double* floating() const noexcept { return std::get_if<double>(&is_); }
    [[nodiscard]] const json::array* items() const noexcept {
        return std::get_if<json::array>(&is_);
    }
    [[nodiscard]] const json::object* members() const noexcept {
        return std::get_if<json::object>(&is_);
    }
    [[nodiscard]] json::array* items() noexcept { return std::get_if<json::array>(&is_); }
    [[nodiscard]] json::object* members() noexcept { return std::get_if<json::object>(&is_); }
    /// @}
    /// The value of an integer of either sign that fits, else nothing; 2.0 is an integer too. @{
    [[nodiscard]] std::optional<std::int64_t> integer() const noexcept;
    [[nodiscard]] std::optional<std::uint64_t> unsigned_integer() const noexcept;
    /// @}
    [[nodiscard]] bool is_number() const noexcept;
    /// The first member of that name; null where there is none, or it is no object.
    [[nodiscard]] const value* find(std::string_view name) const noexcept;

    /// "an object", "a list", "text", "a number", "true or false", "null".
    [[nodiscard]] std::string_view kind_in_words() const noexcept;

    /// Equal kinds and equal content, numbers by their value (1 and 1.0 are equal), members in the
    /// same order.
    friend bool operator==(const value& a, const value& b) noexcept;

private:
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
                 json::array, json::object>
        is_;
};

struct member {
    std::string name;
    value is;
};

// Behind `member`, which the variant's own functions need whole.
inline value::value() noexcept = default;
inline value::value(std::nullptr_t) noexcept {}
inline value::value(bool truth) noexcept : is_{truth} {}
inline value::value(std::int64_t number) noexcept : is_{number} {}
inline value::value(std::uint64_t number) noexcept : is_{number} {}
inline value::value(std::uint32_t number) noexcept : is_{std::uint64_t{number}} {}
inline value::value(int number) noexcept : is_{std::int64_t{number}} {}
inline value::value(double number) noexcept : is_{number} {}
inline value::value(std::string text) noexcept : is_{std::move(text)} {}
inline value::value(std::string_view text) : is_{std::string{text}} {}
inline value::value(const char* text) : is_{std::string{text}} {}
inline value::value(json::array items) noexcept : is_{std::move(items)} {}
inline value::value(json::object members) noexcept : is_{std::move(members)} {}

/// One text as one value. The text must be UTF-8, at most `depth_limit` deep, of at most
/// `node_limit` values, and hold nothing behind the value; else the error says where, as line and
/// column, and why. A member named twice is an error. Memory is bounded by the text and the limit.
inline constexpr std::size_t depth_limit = 64;
inline constexpr std::size_t node_limit = 16'000'000;
[[nodiscard]] std::expected<value, std::string> parse(std::string_view text);

/// On one line, without a space; what a string holds beyond ASCII stays as it is, but for control
/// characters. Text that is not
/// UTF-8 has each wrong byte replaced by U+FFFD.
void write(const value& what, std::string& to);
[[nodiscard]] std::string to_text(const value& what);

}  // namespace waybill::scenario::json
