/// What a delivery's headers say of its history (docs/architecture.md, section 3):
/// attempt = carried + counted + 1, and a count belongs to the reader that spent the attempts.
#pragma once

#include <waybill/detail/transport.hpp>
#include <waybill/headers.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::settle {

/// Who counts, and under which header.
struct counting {
    std::string reader;                 ///< our identity
    std::vector<std::string> formerly;  ///< identities that are ours too
    std::string count_header;           ///< empty: the runtime's own name
    std::uint32_t cap = 0;
};

/// Something in the headers that a person should hear of, once per delivery.
enum class history_note : std::uint8_t { none, malformed_count, others_history };

struct history {
    std::uint32_t carried = 0;
    std::uint32_t deaths = 0;  ///< how often it was dead-lettered before
    bool own = false;          ///< our own retry source, or `*`
    bool foreign = false;      ///< another reader's copy
    history_note note = history_note::none;
    std::int64_t due_ms = 0;          ///< Unix epoch; 0: not on its way to a later time
    std::int64_t expires_at_ms = 0;   ///< Unix epoch; 0: no time to live
    std::string_view first_death_at;  ///< as the record has it, number or not; empty: never died
    std::string_view root_id;         ///< of the root message; empty: it never was copied
};

/// Reads the history; an empty header section costs one comparison.
history read_history(std::span<const std::byte> packed_headers, const counting& by);

/// carried + counted + 1, saturating.
constexpr std::uint32_t attempt_of(std::uint32_t carried, std::uint32_t counted) noexcept {
    const auto sum = std::uint64_t{carried} + counted + 1;
    return sum > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(sum);
}

}  // namespace waybill::settle
