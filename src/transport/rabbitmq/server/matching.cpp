#include "transport/rabbitmq/server/matching.hpp"

#include "transport/rabbitmq/server/table.hpp"

namespace waybill::rabbitmq::fake {
namespace {

struct cut {
    std::string_view word;
    std::string_view rest;
    bool is_last;
};

cut first_word(std::string_view words) {
    const auto dot = words.find('.');
    if (dot == std::string_view::npos) return {words, {}, true};
    return {words.substr(0, dot), words.substr(dot + 1), false};
}

/// `is_over`: no word is left, which an empty text does not say: "" is one empty word.
bool matches(std::string_view pattern, bool pattern_is_over, std::string_view key,
             bool key_is_over) {
    if (pattern_is_over) return key_is_over;
    const auto asked = first_word(pattern);
    if (asked.word == "#") {
        if (matches(asked.rest, asked.is_last, key, key_is_over)) return true;
        if (key_is_over) return false;
        const auto there = first_word(key);
        return matches(pattern, false, there.rest, there.is_last);
    }
    if (key_is_over) return false;
    const auto there = first_word(key);
    return (asked.word == "*" || asked.word == there.word) &&
           matches(asked.rest, asked.is_last, there.rest, there.is_last);
}

}  // namespace

bool topic_matches(std::string_view pattern, std::string_view key) {
    return matches(pattern, pattern.empty(), key, key.empty());
}

bool is_same_value(const header_value& a, const header_value& b) {
    if (a == b) return true;
    if (const auto x = a.integer()) return x == b.integer();
    if (const auto x = a.unsigned_integer()) return x == b.unsigned_integer();
    if (const auto x = a.floating()) return x == b.floating();
    // A text may have come as one or as bytes.
    return a.kind() == header_kind::text && a.text() == b.text();
}

bool headers_match(const headers& arguments, const headers& of_message) {
    const auto how = find_exact(arguments, "x-match");
    const auto kind = how ? how->text().value_or("all") : "all";
    const bool any = kind.starts_with("any");
    const bool with_x = kind.ends_with("-with-x");
    for (const auto& each : arguments) {
        if (each.name == "x-match" || (!with_x && each.name.starts_with("x-"))) continue;
        const auto there = find_exact(of_message, each.name);
        const bool fits =
            there && (each.value.kind() == header_kind::null || is_same_value(each.value, *there));
        if (fits == any) return any;
    }
    return !any;
}

}  // namespace waybill::rabbitmq::fake
