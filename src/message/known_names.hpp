/// The names of the headers that the runtime itself writes, in the order of `known_header`.
#pragma once

#include <waybill/headers.hpp>

#include <array>
#include <string_view>

namespace waybill {

inline constexpr std::array<std::string_view, 20> known_names = {
    "",
    "waybill-retry-count",
    "waybill-retry-source",
    "waybill-due",
    "waybill-expires-at",
    "waybill-id",
    "waybill-copy",
    "waybill-cc",
    "waybill-dupl-id",
    "waybill-message-id",
    "",
    "waybill-dead-reason",
    "waybill-dead-error",
    "waybill-dead-source",
    "waybill-dead-handler",
    "waybill-dead-at",
    "waybill-dead-first-at",
    "waybill-dead-attempts",
    "waybill-dead-host",
    "waybill-dead-count",
};
static_assert(known_names.size() == static_cast<std::size_t>(known_header::dead_count) + 1);

}  // namespace waybill
