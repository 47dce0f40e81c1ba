/// The arguments that queues know, and how the server names values in its texts.
#pragma once

#include "transport/rabbitmq/server/arguments.hpp"
#include <waybill/headers.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::rabbitmq::fake {

/// What must be said of an argument, and which types of queue know it.
enum class wants : std::uint8_t { number, number_above_0, any_number, text, yes_or_no, mode };
struct known_argument {
    std::string_view name;
    wants what;
    bool of_classic;
    bool of_quorum;
    bool of_stream;

    [[nodiscard]] bool is_known_to(kind type) const noexcept {
        return type == kind::classic ? of_classic : type == kind::quorum ? of_quorum : of_stream;
    }
};
/// In the order in which a second declaration is compared.
inline constexpr std::array known_arguments{
    known_argument{"x-expires", wants::number_above_0, true, true, false},
    known_argument{"x-message-ttl", wants::number, true, true, false},
    known_argument{"x-dead-letter-exchange", wants::text, true, true, false},
    known_argument{"x-dead-letter-routing-key", wants::text, true, true, false},
    known_argument{"x-dead-letter-strategy", wants::mode, false, true, false},
    known_argument{"x-max-length", wants::number, true, true, false},
    known_argument{"x-max-length-bytes", wants::number, true, true, true},
    known_argument{"x-overflow", wants::mode, true, true, false},
    known_argument{"x-single-active-consumer", wants::yes_or_no, true, true, false},
    known_argument{"x-max-priority", wants::number, true, false, false},
    known_argument{"x-queue-mode", wants::text, true, false, false},
    known_argument{"x-queue-type", wants::text, true, true, true},
    known_argument{"x-delivery-limit", wants::any_number, false, true, false},
    known_argument{"x-max-age", wants::text, false, false, true},
};

/// "signedint" and so on.
[[nodiscard]] std::string_view type_name(const header_value& value);
/// As texts show it between quotes.
[[nodiscard]] std::string shown(const header_value& value);
/// The type that a declaration asks for.
[[nodiscard]] std::string_view queue_type_in(const headers& arguments);
/// Nothing: there is none of that name.
[[nodiscard]] std::optional<kind> kind_named(std::string_view type) noexcept;

}  // namespace waybill::rabbitmq::fake
