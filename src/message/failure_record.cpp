#include "message/failure_record.hpp"

#include "message/utf8_character.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace waybill {
namespace {

/// A number as text, in a buffer of its own.
class decimal {
public:
    explicit decimal(std::int64_t number) noexcept {
        size_ = static_cast<std::size_t>(
            std::to_chars(digits_.data(), digits_.data() + digits_.size(), number).ptr -
            digits_.data());
    }
    [[nodiscard]] std::string_view text() const noexcept { return {digits_.data(), size_}; }

private:
    std::array<char, 24> digits_{};
    std::size_t size_ = 0;
};

constexpr std::size_t longest_name = 512;

/// Writes fields while they fit what is left of the budget.
class budgeted_writer {
public:
    budgeted_writer(headers& all, std::size_t budget) noexcept : all_{&all}, left_{budget} {}

    /// Cuts the value to what fits; leaves the field out when not even its name does.
    void write(known_header name, std::string_view value, std::size_t longest) {
        const auto name_size = name_of(name).size();
        if (left_ <= name_size) return;
        const auto room = std::min(left_ - name_size, longest);
        const auto text = valid_utf8(value, room);
        all_->append(name, std::string_view{text});
        left_ -= name_size + text.size();
    }
    /// Leaves the field out when the value does not fit whole: half a number is a wrong one.
    void write_whole(known_header name, std::string_view value) {
        if (value.size() <= longest_name && left_ >= name_of(name).size() + value.size()) {
            write(name, value, value.size());
        }
    }
    [[nodiscard]] std::size_t left() const noexcept { return left_; }

private:
    headers* all_;
    std::size_t left_;
};

}  // namespace

const char* to_string(dead_reason reason) noexcept {
    switch (reason) {
        case dead_reason::attempts:
            return "attempts";
        case dead_reason::decode:
            return "decode";
        case dead_reason::exception:
            return "exception";
        case dead_reason::redelivered:
            return "redelivered";
        case dead_reason::expired:
            return "expired";
        case dead_reason::foreign_copy:
            return "foreign_copy";
    }
    return "unknown";
}

std::string valid_utf8(std::string_view text, std::size_t size) {
    std::string valid;
    while (!text.empty()) {
        const auto length = character_at_front(text);
        if (valid.size() + std::max<std::size_t>(length, 1) > size) break;
        if (length == 0) {
            valid += '?';
        } else {
            valid += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return valid;
}

void failure_record::append_to(headers& all, std::size_t budget) const {
    budgeted_writer fields{all, budget};
    fields.write_whole(known_header::dead_reason, to_string(reason));
    fields.write_whole(known_header::dead_attempts, decimal{attempts}.text());
    fields.write_whole(known_header::dead_count, decimal{count}.text());
    fields.write_whole(known_header::dead_at, decimal{at.count()}.text());
    fields.write_whole(known_header::dead_first_at,
                       first_at_text.empty() ? decimal{first_at.count()}.text() : first_at_text);
    fields.write(known_header::dead_source, source, longest_name);
    fields.write(known_header::dead_handler, handler, longest_name);
    fields.write(known_header::dead_host, host, longest_name);
    if (!error.empty()) fields.write(known_header::dead_error, error, fields.left());
}

}  // namespace waybill
