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

/// What the transport says of this header: nothing, or that it is left out or renamed.
const detail::copy_exception* exception_for(std::string_view name, const copy_facts& facts) {
    for (const auto& each : facts.not_copied) {
        if (detail::same_name(each.name, name)) return &each;
    }
    return nullptr;
}

/// The same value under another name, unless a copy before this one has kept it already.
std::byte* rename(std::byte* to, std::span<const std::byte> packed, known_header known) {
    auto prefix = detail::read_prefix(packed.data());
    const auto value = packed.subspan(sizeof prefix + prefix.name_size);
    const auto name = name_of(known);
    prefix.known = static_cast<std::uint8_t>(known);
    prefix.name_size = static_cast<std::uint16_t>(name.size());
    std::memcpy(to, &prefix, sizeof prefix);
    std::memcpy(to + sizeof prefix, name.data(), name.size());
    std::memcpy(to + sizeof prefix + name.size(), value.data(), value.size());
    return to + sizeof prefix + name.size() + value.size();
}

/// With its prefix, no name becomes three times as long by being renamed.
std::size_t room_for_original(const copy_facts& facts) noexcept {
    return facts.original.size() * (facts.not_copied.empty() ? 1 : 3);
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
        const auto name = detail::name_in(packed.data());
        if (!facts.count_header.empty() && detail::same_name(name, facts.count_header)) continue;
        if (!facts.not_copied.empty()) {
            if (const auto* other = exception_for(name, facts)) {
                if (other->kept_as != known_header::none) to = rename(to, packed, other->kept_as);
                continue;
            }
        }
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
    auto* to = out.room(room_for_original(facts) + room_for_identity(facts) +
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
    auto* to =
        out.room(room_for_original(facts) + room_for_identity(facts) + record.room_for(budget));
    to = keep_original(to, facts, is_record);
    to = write_identity(to, facts);
    out.finish_at(budget != 0 ? record.write_to(to, budget) : to);
}

}  // namespace waybill::settle
