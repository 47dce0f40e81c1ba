/// The payment provider as the service sees it.
#pragma once

#include "messages.hpp"

namespace payments {

enum class answer {
    ok,           ///< the money is taken
    busy,         ///< past the provider's rate limit: wait before asking again
    unavailable,  ///< no answer: nothing is known, asking again may help
    declined,     ///< the card is refused, and stays so
};

/// Asks a provider for the money. Called by several lanes at once, so an implementation looks after
/// its own locking. A provider charges an order number once, however often it is asked.
class gateway {
public:
    virtual ~gateway() = default;
    virtual answer charge(const payment_request& request) = 0;
};

}  // namespace payments
