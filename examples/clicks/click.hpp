/// A click event, the store that counts it, and the handler between the two.
#pragma once

#include <waybill/state.hpp>

#include <cstdint>
#include <string>

namespace clicks {

struct click {
    std::uint64_t id;
    std::string page;
    std::string visitor;
};

/// Where clicks are counted; lanes may call it at the same time.
class click_store {
public:
    virtual ~click_store() = default;
    /// Throws when it cannot be reached.
    virtual void add(const click& seen) = 0;
};

/// What it throws is a failed attempt.
inline void count_click(const click& seen, waybill::state<click_store> store) { store->add(seen); }

}  // namespace clicks
