/// Why a message is in a dead letter: the record that is added to its headers
/// (docs/architecture.md, section 6).
///
/// Guarantee: the record fits its budget; when it does not, the error text is cut first, always at
/// the end of a UTF-8 character. It never holds a credential.
#pragma once

#include <waybill/byte_buffer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace waybill {

enum class dead_reason : std::uint8_t {
    outcome,  ///< none: the handler said so
    attempts,
    decode,
    exception,
    redelivered,
    expired,
    foreign_copy,
};

const char* to_string(dead_reason reason) noexcept;

struct failure_record {
    dead_reason reason = dead_reason::attempts;
    std::string_view error;            ///< the handler's or the codec's own words; may be empty
    std::span<const std::byte> place;  ///< what `pack_place` gave
    std::chrono::milliseconds at{0};   ///< Unix epoch
    std::string_view first_at;         ///< of the first death, as an earlier record has it
    std::uint32_t attempts = 1;
    std::uint32_t count = 1;  ///< which death this is

    static constexpr std::size_t default_budget = 4096;

    /// Writes the record in the packed form of headers, within `budget` bytes of names and values,
    /// to a place that has `room_for` that budget; returns the place behind it.
    std::byte* write_to(std::byte* at, std::size_t budget) const;
    [[nodiscard]] std::size_t room_for(std::size_t budget) const noexcept;
};

/// The part that all records of a subscription share, so that it is written once: what it reads,
/// its name, and the host. Appends to `out`.
void pack_place(byte_buffer& out, std::string_view source, std::string_view handler,
                std::string_view host);

/// `text` as valid UTF-8 of at most `size` bytes: what is not UTF-8 becomes '?', and a cut falls
/// between characters.
std::string valid_utf8(std::string_view text, std::size_t size);

}  // namespace waybill
