#include "message/failure_record.hpp"

#include "message/decimal.hpp"
#include "message/header_writer.hpp"
#include "message/utf8_character.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace waybill {
namespace {

constexpr std::size_t longest_name = 512;
constexpr std::size_t fields_of_place = 3;

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

bool is_decimal(std::string_view text) noexcept {
    return !text.empty() && std::ranges::all_of(text, [](char each) {
        return static_cast<unsigned char>(each - '0') <= 9;
    });
}

constexpr std::size_t size_of_name(known_header name) noexcept {
    return known_names[static_cast<std::size_t>(name)].size();
}

/// Writes fields while they fit what is left of the budget. Inlined, so that its place is in a
/// register.
class budgeted_writer {
public:
    budgeted_writer(std::byte* at, std::size_t budget) noexcept : at_{at}, left_{budget} {}

    /// Cuts the value to what fits; leaves the field out when not even its name does.
    [[gnu::always_inline]] void write(known_header name, std::string_view value,
                                      std::size_t longest) {
        if (left_ <= size_of_name(name)) return;
        const auto room = std::min(left_ - size_of_name(name), longest);
        if (value.size() <= room && is_ascii(value)) [[likely]] {
            put(name, value);
        } else {
            put(name, valid_utf8(value, room));
        }
    }
    /// For a number, or a word of ours: leaves the field out when the value does not fit whole,
    /// because half a number is a wrong one.
    [[gnu::always_inline]] void write_whole(known_header name, std::string_view value) noexcept {
        if (left_ >= size_of_name(name) + value.size()) put(name, value);
    }
    /// For what `pack_place` gave.
    [[gnu::always_inline]] void write_place(std::span<const std::byte> place) {
        const auto cost = place.size() - fields_of_place * sizeof(detail::packed_header);
        if (left_ < cost) [[unlikely]]
            return write_what_fits(place);
        std::memcpy(at_, place.data(), place.size());
        at_ += place.size();
        left_ -= cost;
    }
    [[nodiscard]] std::size_t left() const noexcept { return left_; }
    [[nodiscard]] std::byte* place() const noexcept { return at_; }

private:
    [[gnu::noinline]] void write_what_fits(std::span<const std::byte> place) {
        for (const auto& field : headers::borrow(place)) {
            write(field.known, *field.value.text(), longest_name);
        }
    }
    [[gnu::always_inline]] void put(known_header name, std::string_view value) noexcept {
        at_ = write_header(at_, name, value);
        left_ -= size_of_name(name) + value.size();
    }

    std::byte* at_;
    std::size_t left_;
};

}  // namespace

const char* to_string(dead_reason reason) noexcept {
    switch (reason) {
        case dead_reason::outcome:
            return "outcome";
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

std::byte* failure_record::write_to(std::byte* to, std::size_t budget) const {
    budgeted_writer fields{to, budget};
    const decimal at_text{at.count()};
    fields.write_whole(known_header::dead_reason, to_string(reason));
    fields.write_whole(known_header::dead_attempts, decimal{attempts}.text());
    fields.write_whole(known_header::dead_count, decimal{count}.text());
    fields.write_whole(known_header::dead_at, at_text.text());
    if (!is_decimal(first_at)) {
        fields.write_whole(known_header::dead_first_at, at_text.text());
    } else if (first_at.size() <= longest_name) {
        fields.write_whole(known_header::dead_first_at, first_at);
    }
    fields.write_place(place);
    if (!error.empty()) fields.write(known_header::dead_error, error, fields.left());
    return fields.place();
}

void pack_place(byte_buffer& out, std::string_view source, std::string_view handler,
                std::string_view host) {
    constexpr auto most = fields_of_place * room_for_header(longest_name);
    budgeted_writer fields{out.room(most), most};
    fields.write(known_header::dead_source, source, longest_name);
    fields.write(known_header::dead_handler, handler, longest_name);
    fields.write(known_header::dead_host, host, longest_name);
    out.finish_at(fields.place());
}

std::size_t failure_record::room_for(std::size_t budget) const noexcept {
    constexpr std::size_t fields = 9;
    constexpr std::size_t longest_reason = 32;
    constexpr std::size_t numbers = 4 * longest_decimal;
    const auto texts = first_at.size() + place.size() + error.size();
    return room_for_header(0) * fields + std::min(budget, longest_reason + numbers + texts);
}

}  // namespace waybill
