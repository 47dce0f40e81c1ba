/// Takes a scenario file apart value by value, and keeps the book of what is wrong.
///
/// Both classes are views: of the file's tree and of the book, which outlive them.
#pragma once

#include "scenario/json.hpp"
#include "scenario/read.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

class fields;

/// One value of the file and its place.
class entry {
public:
    entry(const json::value& is, std::string path, std::vector<mistake>& mistakes)
        : is_{&is}, path_{std::move(path)}, mistakes_{&mistakes} {}

    /// Nothing, and a mistake, where it is something else. @{
    [[nodiscard]] std::optional<std::string> text() const;
    [[nodiscard]] std::optional<bool> boolean() const;
    [[nodiscard]] std::optional<std::uint64_t> count() const;   ///< an integer >= 0
    [[nodiscard]] std::optional<std::int64_t> integer() const;  ///< a larger one is the largest
    [[nodiscard]] std::optional<std::chrono::nanoseconds> duration() const;
    /// @}
    /// One of these words: its place among them.
    [[nodiscard]] std::optional<std::size_t> choice(
        std::initializer_list<std::string_view> words) const;
    /// Calls `with` for each element of a list; a mistake where it is none.
    bool list(const std::function<void(const entry&)>& with) const;
    /// Calls `with` for each member of an object whose names are free; a mistake where it is none.
    bool map(const std::function<void(const std::string&, const entry&)>& with) const;
    /// Calls `with` for an object of known names and finishes it; a mistake where it is none.
    bool object(const std::function<void(fields&)>& with) const;

    [[nodiscard]] const json::value& is() const noexcept { return *is_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    void wrong(std::string what) const;

private:
    friend class fields;
    void not_a(std::string_view kind) const;

    const json::value* is_;
    std::string path_;
    std::vector<mistake>* mistakes_;
};

/// One object of the file. Each getter takes a member by its name and type; a member of another
/// type is a mistake with its path. `finish` makes every member that nobody took a mistake, with
/// the name that was probably meant.
class fields {
public:
    fields(const json::value& from, std::string path, std::vector<mistake>& mistakes)
        : all_{from, std::move(path), mistakes} {}
    explicit fields(entry all) : all_{std::move(all)} {}

    /// Nothing where it is absent or was a mistake. @{
    [[nodiscard]] std::optional<std::string> text(std::string_view name);
    [[nodiscard]] std::optional<bool> boolean(std::string_view name);
    [[nodiscard]] std::optional<std::uint64_t> count(std::string_view name);  ///< an integer >= 0
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name);
    [[nodiscard]] std::optional<std::chrono::nanoseconds> duration(std::string_view name);
    [[nodiscard]] std::optional<std::size_t> choice(std::string_view name,
                                                    std::initializer_list<std::string_view> words);
    /// @}
    /// As it stands; nothing where it is absent.
    [[nodiscard]] std::optional<entry> take(std::string_view name);
    /// The same, and a mistake of this object when it is absent.
    [[nodiscard]] std::optional<entry> need(std::string_view name);

    [[nodiscard]] const std::string& path() const noexcept { return all_.path(); }
    /// A mistake of the object itself.
    void wrong(std::string what) const { all_.wrong(std::move(what)); }
    void finish() const;

private:
    entry all_;
    std::vector<std::string_view> known_;  ///< every name that was asked for
};

/// "30s", "1500ms", "2m", "1h", "7d", "100us", "5ns": an integer and its unit; nothing when it is
/// none, or above 292 years.
[[nodiscard]] std::optional<std::chrono::nanoseconds> duration_of(std::string_view text) noexcept;

}  // namespace waybill::scenario
