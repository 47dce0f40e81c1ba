#include "scenario/fields.hpp"

#include "scenario/mistakes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace waybill::scenario {

using std::chrono::nanoseconds;

// ---- one value ---------------------------------------------------------------------------------

void entry::wrong(std::string what) const { report(*mistakes_, path_, std::move(what)); }

void entry::not_a(std::string_view kind) const {
    wrong("this must be " + std::string{kind} + ", not " + shown(*is_));
}

std::optional<std::string> entry::text() const {
    if (const auto* text = is_->text()) return *text;
    not_a("text");
    return std::nullopt;
}

std::optional<bool> entry::boolean() const {
    if (const auto* truth = is_->boolean()) return *truth;
    not_a("true or false");
    return std::nullopt;
}

std::optional<std::uint64_t> entry::count() const {
    auto number = is_->unsigned_integer();
    if (!number) not_a("an integer of 0 or more");
    return number;
}

std::optional<std::int64_t> entry::integer() const {
    if (const auto number = is_->integer()) return number;
    if (is_->unsigned_integer()) return std::numeric_limits<std::int64_t>::max();
    not_a("an integer");
    return std::nullopt;
}

std::optional<nanoseconds> entry::duration() const {
    const auto* text = is_->text();
    const auto read = text != nullptr ? duration_of(*text) : std::nullopt;
    if (!read) not_a("a duration, an integer with ns, us, ms, s, m, h or d and below 292 years");
    return read;
}

std::optional<std::size_t> entry::choice(std::initializer_list<std::string_view> words) const {
    const auto* text = is_->text();
    if (text != nullptr) {
        const auto* const found = std::ranges::find(words, *text);
        if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
        wrong(quoted(*text) + " is unknown here" + hint_for(*text, words));
    } else {
        std::string kinds;
        for (const auto each : words) kinds += (kinds.empty() ? "" : " or ") + quoted(each);
        not_a(kinds);
    }
    return std::nullopt;
}

bool entry::list(const std::function<void(const entry&)>& with) const {
    const auto* items = is_->items();
    if (items == nullptr) {
        not_a("a list");
        return false;
    }
    std::size_t index = 0;
    for (const auto& each : *items) with({each, path_of_element(path_, index++), *mistakes_});
    return true;
}

bool entry::map(const std::function<void(const std::string&, const entry&)>& with) const {
    const auto* members = is_->members();
    if (members == nullptr) {
        not_a("an object");
        return false;
    }
    for (const auto& each : *members) {
        with(each.name, {each.is, path_of_member(path_, each.name), *mistakes_});
    }
    return true;
}

bool entry::object(const std::function<void(fields&)>& with) const {
    if (is_->members() == nullptr) {
        not_a("an object");
        return false;
    }
    fields all{*this};
    with(all);
    all.finish();
    return true;
}

// ---- an object of known names ------------------------------------------------------------------

std::optional<entry> fields::take(std::string_view name) {
    known_.push_back(name);
    const auto* found = all_.is().find(name);
    if (found == nullptr) return std::nullopt;
    return entry{*found, path_of_member(path(), name), *all_.mistakes_};
}

std::optional<entry> fields::need(std::string_view name) {
    auto found = take(name);
    if (!found && all_.is().members() != nullptr) wrong(quoted(name) + " is missing");
    return found;
}

std::optional<std::string> fields::text(std::string_view name) {
    const auto found = take(name);
    return found ? found->text() : std::nullopt;
}

std::optional<bool> fields::boolean(std::string_view name) {
    const auto found = take(name);
    return found ? found->boolean() : std::nullopt;
}

std::optional<std::uint64_t> fields::count(std::string_view name) {
    const auto found = take(name);
    return found ? found->count() : std::nullopt;
}

std::optional<std::int64_t> fields::integer(std::string_view name) {
    const auto found = take(name);
    return found ? found->integer() : std::nullopt;
}

std::optional<nanoseconds> fields::duration(std::string_view name) {
    const auto found = take(name);
    return found ? found->duration() : std::nullopt;
}

std::optional<std::size_t> fields::choice(std::string_view name,
                                          std::initializer_list<std::string_view> words) {
    const auto found = take(name);
    return found ? found->choice(words) : std::nullopt;
}

void fields::finish() const {
    const auto* members = all_.is().members();
    if (members == nullptr) return;
    for (const auto& each : *members) {
        if (std::ranges::find(known_, each.name) != known_.end()) continue;
        if (all_.mistakes_->size() > most_mistakes) return;  // a hint takes its time
        report(*all_.mistakes_, path_of_member(path(), each.name),
               "unknown key " + quoted(each.name) + hint_for(each.name, known_));
    }
}

// ---- durations ---------------------------------------------------------------------------------

std::optional<nanoseconds> duration_of(std::string_view text) noexcept {
    constexpr std::int64_t second = 1'000'000'000;
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 7> units{
        {{"ns", 1},
         {"us", 1'000},
         {"ms", 1'000'000},
         {"s", second},
         {"m", 60 * second},
         {"h", 3600 * second},
         {"d", 86400 * second}}};
    std::int64_t number = 0;
    const auto* const begin = text.data();
    const auto* const end = begin + text.size();
    const auto [behind, fault] = std::from_chars(begin, end, number);
    if (fault != std::errc{} || text.front() == '-') return std::nullopt;
    const std::string_view unit{behind, end};
    const auto* const found =
        std::ranges::find(units, unit, &std::pair<std::string_view, std::int64_t>::first);
    if (found == units.end()) return std::nullopt;
    if (number > std::numeric_limits<std::int64_t>::max() / found->second) return std::nullopt;
    return nanoseconds{number * found->second};
}

}  // namespace waybill::scenario
