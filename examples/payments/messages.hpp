/// The messages of the payments service.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace payments {

struct order_line {
    std::string sku;
    std::uint32_t quantity;
    std::uint64_t cents;  ///< for one piece

    friend bool operator==(const order_line&, const order_line&) = default;
};

/// Asks for an order to be charged.
struct payment_request {
    static constexpr std::string_view address = "payments.requested";

    std::uint64_t order;
    std::string customer;
    std::vector<order_line> lines;

    friend bool operator==(const payment_request&, const payment_request&) = default;
};

/// Says that an order was charged.
struct paid {
    static constexpr std::string_view address = "payments.paid";

    std::uint64_t order;
    std::string customer;
    std::vector<order_line> lines;

    friend bool operator==(const paid&, const paid&) = default;
};

}  // namespace payments
