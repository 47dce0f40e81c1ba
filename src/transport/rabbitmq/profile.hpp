/// What a queue of a server can do, by its type and the server's version
/// (docs/architecture.md, sections 3 and 4).
#pragma once

#include "transport/rabbitmq/data.hpp"
#include <waybill/detail/transport.hpp>

#include <optional>
#include <string_view>

namespace waybill::rabbitmq {

struct version_number {
    int major = 0;
    int minor = 0;
    friend auto operator<=>(const version_number&, const version_number&) = default;
};

/// From here on a quorum queue has a delivery limit without having been given one.
inline constexpr version_number limits_by_default{4, 0};
/// From here on a quorum queue counts failures alone.
inline constexpr version_number counts_failures{4, 3};

/// "4.0.5"; nothing: it does not begin with two numbers.
[[nodiscard]] std::optional<version_number> read_version(std::string_view text);

/// While the version is not known, what holds for every one of them.
[[nodiscard]] detail::capabilities capabilities_for(const queue::data& what, waits delays,
                                                    std::optional<version_number> version);

}  // namespace waybill::rabbitmq
