#include "json_failure.hpp"

#include "utf8.hpp"

#include <algorithm>
#include <string>

namespace waybill {
namespace {

constexpr std::string_view spaces = " \t\r\n";

std::string_view explain(simdjson::error_code code) noexcept {
    switch (code) {
        case simdjson::EMPTY:
            return "expected a value";
        case simdjson::UTF8_ERROR:
            return "expected UTF-8";
        case simdjson::UNCLOSED_STRING:
            return "expected the end of a string";
        case simdjson::UNESCAPED_CHARS:
            return "expected no raw control character in a string";
        case simdjson::CAPACITY:
            return "expected less than 4 GiB";
        case simdjson::MEMALLOC:
            return "out of memory";
        default:
            return "expected JSON";
    }
}

}  // namespace

bool json_failure::at(const char* place, std::string_view expected) {
    const char* const end = text_.data() + text_.size();
    const char* const shown = std::clamp(place, text_.data(), end);
    fault_ = std::make_unique<fault>();
    fault_->fail(static_cast<std::size_t>(shown - text_.data()), expected,
                 std::string_view{shown, end});
    return false;
}

bool json_failure::saying(const char* place, std::string_view what) {
    fault_ = std::make_unique<fault>();
    fault_->fail(static_cast<std::size_t>(place - text_.data()), what);
    return false;
}

bool json_failure::here(ondemand::document& document, std::string_view expected) {
    const char* place = nullptr;
    return document.current_location().get(place) ? at_end(expected) : at(place, expected);
}

bool json_failure::unclosed(std::string_view expected) {
    const std::size_t last = text_.find_last_not_of(spaces);
    return at(text_.data() + std::min(last, text_.size()), expected);
}

bool json_failure::integer(const char* place, const value_type& type) {
    std::string_view token{place, text_.data() + text_.size()};
    token = token.substr(0, token.find_first_of(" \t\r\n,]}"));
    if (token.starts_with('-')) token.remove_prefix(1);
    const bool whole = !token.empty() &&
                       token.find_first_not_of("0123456789") == std::string_view::npos &&
                       (token.size() == 1 || token.front() != '0');
    return at(place, whole ? "expected a number that fits " + std::string{type.name}
                           : std::string{"expected an integer"});
}

bool json_failure::whole_text(simdjson::error_code code) {
    if (code == simdjson::UTF8_ERROR) return at(text_.data() + find_bad_utf8(text_), explain(code));
    const bool ends = code == simdjson::UNCLOSED_STRING;
    return saying(text_.data() + (ends ? text_.size() : 0), explain(code));
}

bool json_failure::in_field(std::string_view name) {
    fault_->in_field(name);
    return false;
}

bool json_failure::in_key(std::string_view key) {
    fault_->in_key(key);
    return false;
}

bool json_failure::in_element(std::size_t index) {
    fault_->in_element(index);
    return false;
}

}  // namespace waybill
