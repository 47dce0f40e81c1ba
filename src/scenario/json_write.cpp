// Writes a value as text.
#include "message/utf8_character.hpp"
#include "scenario/json.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace waybill::scenario::json {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

void write_control(char letter, std::string& to) {
    constexpr std::string_view digits = "0123456789abcdef";
    switch (letter) {
        case '\n':
            to += "\\n";
            return;
        case '\r':
            to += "\\r";
            return;
        case '\t':
            to += "\\t";
            return;
        default:
            to += "\\u00";
            to += digits[static_cast<unsigned char>(letter) >> 4U];
            to += digits[static_cast<unsigned char>(letter) & 15U];
    }
}

void write_text(std::string_view text, std::string& to) {
    to += '"';
    while (!text.empty()) {
        const char first = text.front();
        const auto size = character_at_front(text);
        if (size == 0) {
            to += replacement;
        } else if (first == '"' || first == '\\') {
            to += '\\';
            to += first;
        } else if (static_cast<unsigned char>(first) < 0x20 || first == '\x7f') {
            write_control(first, to);
        } else if (size == 2 && first == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0) {
            write_control(text[1], to);  // terminals obey these as well
        } else {
            to += text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    to += '"';
}

template <class Number>
void write_number(Number number, std::string& to) {
    std::array<char, 32> room{};
    const auto end = std::to_chars(room.data(), room.data() + room.size(), number).ptr;
    to.append(room.data(), end);
}

}  // namespace

void write(const value& what, std::string& to) {
    if (const auto* truth = what.boolean()) {
        to += *truth ? "true" : "false";
    } else if (const auto* text = what.text()) {
        write_text(*text, to);
    } else if (const auto* number = what.floating()) {
        // JSON knows neither infinity nor what is no number.
        if (std::isfinite(*number)) {
            write_number(*number, to);
        } else {
            to += "null";
        }
    } else if (const auto whole = what.integer()) {
        write_number(*whole, to);
    } else if (const auto large = what.unsigned_integer()) {
        write_number(*large, to);
    } else if (const auto* items = what.items()) {
        char before = '[';
        for (const auto& each : *items) {
            to += std::exchange(before, ',');
            write(each, to);
        }
        to += items->empty() ? "[]" : "]";
    } else if (const auto* members = what.members()) {
        char before = '{';
        for (const auto& each : *members) {
            to += std::exchange(before, ',');
            write_text(each.name, to);
            to += ':';
            write(each.is, to);
        }
        to += members->empty() ? "{}" : "}";
    } else {
        to += "null";
    }
}

std::string to_text(const value& what) {
    std::string text;
    write(what, text);
    return text;
}

}  // namespace waybill::scenario::json
