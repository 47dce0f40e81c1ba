/// The arguments that queues know, and how the server names values in its texts.
#pragma once

#include <waybill/headers.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace waybill::rabbitmq::fake {

/// What must be said of an argument, and for which types of queue it is known.
enum class wants : std::uint8_t { number, number_above_0, any_number, text, yes_or_no, mode };
struct known_argument {
    std::string_view name;
    wants what;
    bool of_classic;
    bool of_quorum;
};
inline constexpr std::array known_arguments{
    known_argument{"x-queue-type", wants::text, true, true},
    known_argument{"x-expires", wants::number_above_0, true, true},
    known_argument{"x-message-ttl", wants::number, true, true},
    known_argument{"x-dead-letter-exchange", wants::text, true, true},
    known_argument{"x-dead-letter-routing-key", wants::text, true, true},
    known_argument{"x-dead-letter-strategy", wants::mode, false, true},
    known_argument{"x-max-length", wants::number, true, true},
    known_argument{"x-max-length-bytes", wants::number, true, true},
    known_argument{"x-overflow", wants::mode, true, true},
    known_argument{"x-single-active-consumer", wants::yes_or_no, true, true},
    known_argument{"x-delivery-limit", wants::any_number, false, true},
    known_argument{"x-max-priority", wants::number, true, false},
    known_argument{"x-queue-mode", wants::text, true, false},
};

/// "signedint" and so on.
[[nodiscard]] std::string_view type_name(const header_value& value);
/// As texts show it between quotes.
[[nodiscard]] std::string shown(const header_value& value);
/// The type that a declaration asks for.
[[nodiscard]] std::string_view queue_type_in(const headers& arguments);

}  // namespace waybill::rabbitmq::fake
