/// Takes an object of a scenario file apart member by member, and keeps the book of what is wrong.
#pragma once

#include "scenario/json.hpp"
#include "scenario/read.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

/// One object of the file. Each getter takes a member by its name and type; a member of another
/// type is a mistake with its path. `finish` makes every member that nobody took a mistake, with
/// the name that was probably meant.
class fields {
public:
    fields(const json::value& from, std::string path, std::vector<mistake>& mistakes);

    /// Nothing where it is absent or was a mistake. @{
    [[nodiscard]] std::optional<std::string> text(std::string_view name);
    [[nodiscard]] std::optional<bool> boolean(std::string_view name);
    [[nodiscard]] std::optional<std::uint64_t> count(std::string_view name);  ///< an integer >= 0
    [[nodiscard]] std::optional<std::chrono::nanoseconds> duration(std::string_view name);
    /// @}
    /// One of these words: its place among them.
    [[nodiscard]] std::optional<std::size_t> choice(std::string_view name,
                                                    std::initializer_list<std::string_view> words);
    /// As it stands; null where it is absent.
    [[nodiscard]] const json::value* take(std::string_view name);
    /// The same, and a mistake of this object when it is absent.
    [[nodiscard]] const json::value* need(std::string_view name);
    /// The object under that name, with `with` called on it and finished; nothing when absent.
    bool object(std::string_view name, const std::function<void(fields&)>& with);

    /// The path of a member: `$.steps[3].publish.to`.
    [[nodiscard]] std::string path_of(std::string_view name) const;
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// A mistake at a member, or at the object itself. @{
    void wrong(std::string_view name, std::string what);
    void wrong(std::string what);
    /// @}
    void finish();

private:
    const json::object* members_;
    std::string path_;
    std::vector<mistake>& mistakes_;
    std::vector<std::string_view> known_;  ///< every name that was asked for
};

/// "30s", "1500ms", "2m", "1h", "7d", "100us", "5ns": an integer and its unit; nothing when it is
/// none, or above 292 years.
[[nodiscard]] std::optional<std::chrono::nanoseconds> duration_of(std::string_view text) noexcept;

}  // namespace waybill::scenario
