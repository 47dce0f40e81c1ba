#include "message/failure_record.hpp"

#include "message/utf8_character.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace waybill {
namespace {

constexpr std::size_t longest_name = 512;

/// A number as text, in a buffer of its own.
class decimal {
public:
    explicit decimal(std::int64_t number) noexcept
        : size_{static_cast<std::size_t>(
              std::to_chars(digits_.data(), digits_.data() + digits_.size(), number).ptr -
              digits_.data())} {}
    [[nodiscard]] std::string_view text() const noexcept { return {digits_.data(), size_}; }

private:
    std::array<char, header_writer::longest_number> digits_;
    std::size_t size_;
};

std::uint64_t word_at(const char* at) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
}

/// Eight bytes at a time; the last eight overlap those before.
bool is_ascii(std::string_view text) noexcept {
    std::uint64_t seen = 0;
    if (text.size() < sizeof seen) {
        for (const char byte : text) seen |= static_cast<unsigned char>(byte);
    } else {
        const auto* const last = text.data() + text.size() - sizeof seen;
        for (const auto* at = text.data(); at < last; at += sizeof seen) seen |= word_at(at);
        seen |= word_at(last);
    }
    return (seen & 0x8080808080808080) == 0;
}

/// Writes fields while they fit what is left of the budget.
class budgeted_writer {
public:
    budgeted_writer(header_writer& to, std::size_t budget) noexcept : to_{&to}, left_{budget} {}

    /// Cuts the value to what fits; leaves the field out when not even its name does.
    void write(known_header name, std::string_view value, std::size_t longest) {
        const auto name_size = known_names[static_cast<std::size_t>(name)].size();
        if (left_ <= name_size) return;
        const auto room = std::min(left_ - name_size, longest);
        if (value.size() <= room && is_ascii(value)) [[likely]] {
            put(name, value);
        } else {
            put(name, valid_utf8(value, room));
        }
    }
    /// For a number, or a word of ours: leaves the field out when the value does not fit whole,
    /// because half a number is a wrong one.
    void write_whole(known_header name, std::string_view value) {
        const auto name_size = known_names[static_cast<std::size_t>(name)].size();
        if (left_ >= name_size + value.size()) put(name, value);
    }
    /// For a number that somebody else wrote.
    void write_kept(known_header name, std::string_view value) {
        const auto name_size = known_names[static_cast<std::size_t>(name)].size();
        if (value.size() <= longest_name && left_ >= name_size + value.size()) {
            write(name, value, value.size());
        }
    }
    [[nodiscard]] std::size_t left() const noexcept { return left_; }

private:
    void put(known_header name, std::string_view value) noexcept {
        to_->write(name, value);
        left_ -= known_names[static_cast<std::size_t>(name)].size() + value.size();
    }

    header_writer* to_;
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

void failure_record::write_to(header_writer& to, std::size_t budget) const {
    budgeted_writer fields{to, budget};
    const decimal at_text{at.count()};
    fields.write_whole(known_header::dead_reason, to_string(reason));
    fields.write_whole(known_header::dead_attempts, decimal{attempts}.text());
    fields.write_whole(known_header::dead_count, decimal{count}.text());
    fields.write_whole(known_header::dead_at, at_text.text());
    if (!first_at_text.empty()) {
        fields.write_kept(known_header::dead_first_at, first_at_text);
    } else {
        fields.write_whole(known_header::dead_first_at,
                           first_at == at ? at_text.text() : decimal{first_at.count()}.text());
    }
    fields.write(known_header::dead_source, source, longest_name);
    fields.write(known_header::dead_handler, handler, longest_name);
    fields.write(known_header::dead_host, host, longest_name);
    if (!error.empty()) fields.write(known_header::dead_error, error, fields.left());
}

std::size_t failure_record::room_for(std::size_t budget) const noexcept {
    constexpr std::size_t fields = 9;
    constexpr std::size_t longest_reason = 32;
    constexpr std::size_t numbers = 4 * header_writer::longest_number;
    const auto texts =
        first_at_text.size() + source.size() + handler.size() + host.size() + error.size();
    return header_writer::room_for(0) * fields + std::min(budget, longest_reason + numbers + texts);
}

void failure_record::append_to(headers& all, std::size_t budget) const {
    all.extend(room_for(budget), [&](std::byte* at) {
        header_writer to{at};
        write_to(to, budget);
        return to.place();
    });
}

}  // namespace waybill
