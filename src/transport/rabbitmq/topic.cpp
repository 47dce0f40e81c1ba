#include "transport/rabbitmq/topic.hpp"

namespace waybill::rabbitmq {
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

}  // namespace waybill::rabbitmq
