#include "settle/copy.hpp"

#include "message/decimal.hpp"
#include "message/header_writer.hpp"

#include <cstring>

namespace waybill::settle {
namespace {

bool is_record(known_header known) noexcept { return known >= known_header::dead_reason; }

bool replaced_on_every_copy(known_header known) noexcept {
    return known == known_header::retry_count || known == known_header::retry_source ||
           known == known_header::due || known == known_header::copy || known == known_header::id ||
           known == known_header::expires_at;
}

/// Copies the headers that stay, as they are.
template <class Leaves>
std::byte* keep_original(std::byte* to, const copy_facts& facts, Leaves leaves) {
    const auto all = facts.original;
    for (std::size_t at = 0; at < all.size();) {
        const auto entry = detail::read_prefix(all.data() + at);
        const auto packed = all.subspan(at, detail::packed_size(entry));
        at += packed.size();
        const auto known = static_cast<known_header>(entry.known);
        if (replaced_on_every_copy(known) || leaves(known)) continue;
        const bool is_count =
            !facts.count_header.empty() &&
            detail::same_name(detail::read_header(packed.data()).name, facts.count_header);
        if (is_count) continue;
        std::memcpy(to, packed.data(), packed.size());
        to += packed.size();
    }
    return to;
}

std::byte* write_identity(std::byte* to, const copy_facts& facts) {
    to = facts.count_header.empty() ? write_header(to, known_header::retry_count, facts.carried)
                                    : write_header(to, facts.count_header, facts.carried);
    to = write_header(to, known_header::id, facts.root_id);
    return write_header(to, known_header::copy, facts.root_id, std::string_view{"/"},
                        facts.carried);
}

std::size_t room_for_identity(const copy_facts& facts) noexcept {
    return room_for_header(facts.count_header.size() + longest_decimal) +
           room_for_header(facts.root_id.size()) +
           room_for_header(facts.root_id.size() + 1 + longest_decimal);
}

}  // namespace

void build_retry_copy(byte_buffer& out, const copy_facts& facts, std::string_view retry_source) {
    out.clear();
    auto* to = out.room(facts.original.size() + room_for_identity(facts) +
                        room_for_header(longest_decimal) + room_for_header(retry_source.size()));
    to = keep_original(to, facts, [](known_header) { return false; });
    to = write_identity(to, facts);
    if (facts.expires_at_ms != 0) {
        to = write_header(to, known_header::expires_at, decimal{facts.expires_at_ms}.text());
    }
    out.finish_at(write_header(to, known_header::retry_source, retry_source));
}

void build_dead_letter(byte_buffer& out, const copy_facts& facts, const failure_record& record,
                       std::size_t budget) {
    out.clear();
    auto* to = out.room(facts.original.size() + room_for_identity(facts) + record.room_for(budget));
    to = keep_original(to, facts, is_record);
    to = write_identity(to, facts);
    out.finish_at(budget != 0 ? record.write_to(to, budget) : to);
}

}  // namespace waybill::settle
