/// What a lane lends to a handler for one delivery, in the form the typed code unpacks.
///
/// Belongs to the lane; valid while the handler runs.
#pragma once

#include <waybill/codec.hpp>
#include <waybill/delivery.hpp>
#include <waybill/detail/staging.hpp>
#include <waybill/export.h>
#include <waybill/outcome.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace waybill {
class clock;
}

namespace waybill::detail {

/// Where one type that a handler publishes goes, and how it is written. Resolved at start.
struct bound_output {
    std::string address;
    codec format;
    const value_type* type = nullptr;
};

/// A delivery whose handler finishes elsewhere. Shared with the `settlement`; thread-safe.
class pending_settlement {
public:
    virtual ~pending_settlement() = default;
    /// Settles delivery number `serial` of this slot, or gives it back (no outcome). What is not
    /// in hand any more is ignored.
    virtual void finish(std::uint64_t serial, std::optional<outcome> answer) noexcept = 0;
};

struct invocation {
    const delivery* message = nullptr;
    void* decoded = nullptr;                ///< the lane's object of the handler's message type
    void* const* states = nullptr;          ///< one for each `state<T>` parameter, in order
    const bound_output* outputs = nullptr;  ///< one for each type that the handler publishes
    staging* staged = nullptr;
    std::string_view subscription;
    std::uint32_t max_attempts = 0;
    const clock* time = nullptr;
    codec format;                              ///< the subscription's; may be null
    std::shared_ptr<pending_settlement> slot;  ///< for handlers that finish elsewhere
    std::uint64_t serial = 0;
    std::string problem;  ///< why the verdict is `failed`
};

/// What came of running a handler.
struct verdict {
    enum class kind : std::uint8_t {
        answered,
        deferred,  ///< a settlement was handed over
        failed,    ///< an extractor or an encoder said no; `invocation::problem` says why
    };
    [[no_unique_address]] outcome answer;  ///< leaves its padding to `how`: two registers
    kind how = kind::answered;
};
static_assert(sizeof(verdict) == 16);

/// Stages a value; false, with `problem` set, when it cannot be encoded.
WAYBILL_API bool stage(invocation& call, const bound_output& to, const void* value);
/// The same for an address that the handler names.
WAYBILL_API bool stage_to(invocation& call, std::string_view address, const value_type& type,
                          const void* value);
WAYBILL_API void stage_bytes(invocation& call, std::string_view address,
                             std::span<const std::byte> payload);

}  // namespace waybill::detail
