/// Builds the headers of what the runtime publishes in place of a delivery: a retry copy or a
/// dead letter.
///
/// Guarantee: every header and property of the delivery is kept byte for byte, type for type, in
/// order, duplicates included, but for what the transport excepts; the runtime's own are replaced,
/// never doubled (docs/architecture.md, section 4).
#pragma once

#include "message/failure_record.hpp"
#include <waybill/byte_buffer.hpp>
#include <waybill/detail/transport.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace waybill::settle {

/// What both kinds of copy carry on.
struct copy_facts {
    std::span<const std::byte> original;  ///< packed headers of the delivery
    std::string_view count_header;        ///< empty: the runtime's own name
    std::string_view root_id;
    std::uint32_t carried = 0;                             ///< deliveries before the copy
    std::int64_t expires_at_ms = 0;                        ///< Unix epoch; 0: no time to live
    std::span<const detail::copy_exception> not_copied{};  ///< the transport's
};

/// `retry_source` is the reader whose attempts are counted, or `*`. The time to live goes along as
/// a header of the runtime's own: the broker's would begin anew with each copy.
void build_retry_copy(byte_buffer& out, const copy_facts& facts, std::string_view retry_source);

/// A budget of 0 leaves the failure record out.
void build_dead_letter(byte_buffer& out, const copy_facts& facts, const failure_record& record,
                       std::size_t budget);

}  // namespace waybill::settle
