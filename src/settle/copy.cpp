#include "settle/copy.hpp"

#include "message/header_writer.hpp"

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
void keep_original(header_writer& to, const copy_facts& facts, Leaves leaves) {
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
        if (!is_count) to.write(packed);
    }
}

void append_identity(header_writer& to, const copy_facts& facts) {
    if (facts.count_header.empty()) {
        to.begin(known_header::retry_count);
    } else {
        to.begin(facts.count_header);
    }
    to.put(facts.carried);
    to.end();
    to.write(known_header::id, facts.root_id);
    to.begin(known_header::copy);
    to.put(facts.root_id);
    to.put("/");
    to.put(facts.carried);
    to.end();
}

std::size_t room_for_identity(const copy_facts& facts) noexcept {
    return header_writer::room_for(facts.count_header.size() + header_writer::longest_number) +
           header_writer::room_for(facts.root_id.size()) +
           header_writer::room_for(facts.root_id.size() + 1 + header_writer::longest_number);
}

}  // namespace

void build_retry_copy(headers& out, const copy_facts& facts, std::string_view retry_source) {
    out.clear();
    const auto room = facts.original.size() + room_for_identity(facts) +
                      header_writer::room_for(header_writer::longest_number) +
                      header_writer::room_for(retry_source.size());
    out.extend(room, [&](std::byte* at) {
        header_writer to{at};
        keep_original(to, facts, [](known_header) { return false; });
        append_identity(to, facts);
        if (facts.expires_at_ms != 0) to.write(known_header::expires_at, facts.expires_at_ms);
        to.write(known_header::retry_source, retry_source);
        return to.place();
    });
}

void build_dead_letter(headers& out, const copy_facts& facts, const failure_record& record,
                       std::size_t budget) {
    out.clear();
    const auto room = facts.original.size() + room_for_identity(facts) + record.room_for(budget);
    out.extend(room, [&](std::byte* at) {
        header_writer to{at};
        keep_original(to, facts, is_record);
        append_identity(to, facts);
        if (budget != 0) record.write_to(to, budget);
        return to.place();
    });
}

}  // namespace waybill::settle
