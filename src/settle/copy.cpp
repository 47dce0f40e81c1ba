#include "settle/copy.hpp"

#include <array>
#include <charconv>

namespace waybill::settle {
namespace {

bool is_record(known_header known) noexcept { return known >= known_header::dead_reason; }

bool replaced_on_every_copy(known_header known) noexcept {
    return known == known_header::retry_count || known == known_header::retry_source ||
           known == known_header::due || known == known_header::copy || known == known_header::id ||
           known == known_header::expires_at;
}

std::string_view decimal(std::array<char, 20>& room, std::int64_t number) noexcept {
    const auto* end = std::to_chars(room.data(), room.data() + room.size(), number).ptr;
    return {room.data(), static_cast<std::size_t>(end - room.data())};
}

template <class Leaves>
void keep_original(headers& out, const copy_facts& facts, Leaves leaves) {
    for (const auto& entry : headers::borrow(facts.original)) {
        const bool is_count =
            !facts.count_header.empty() && detail::same_name(entry.name, facts.count_header);
        if (is_count || replaced_on_every_copy(entry.known) || leaves(entry.known)) continue;
        out.append(entry.name, entry.value);
    }
}

void append_identity(headers& out, const copy_facts& facts) {
    std::array<char, 20> room{};
    const auto count = decimal(room, facts.carried);
    if (facts.count_header.empty()) {
        out.append(known_header::retry_count, count);
    } else {
        out.append(facts.count_header, count);
    }
    out.append(known_header::id, facts.root_id);
    std::string copy{facts.root_id};
    copy += '/';
    copy += count;
    out.append(known_header::copy, copy);
}

}  // namespace

void build_retry_copy(headers& out, const copy_facts& facts, std::string_view retry_source) {
    out.clear();
    keep_original(out, facts, [](known_header) { return false; });
    append_identity(out, facts);
    if (facts.expires_at_ms != 0) {
        std::array<char, 20> room{};
        out.append(known_header::expires_at, decimal(room, facts.expires_at_ms));
    }
    out.append(known_header::retry_source, retry_source);
}

void build_dead_letter(headers& out, const copy_facts& facts, const failure_record& record,
                       std::size_t budget) {
    out.clear();
    keep_original(out, facts, is_record);
    append_identity(out, facts);
    if (budget != 0) record.append_to(out, budget);
}

}  // namespace waybill::settle
