/// What an app is made of, as plain data: builders fill it, the runtime reads it.
#pragma once

#include <waybill/codec.hpp>
#include <waybill/declaration.hpp>
#include <waybill/detail/handler.hpp>
#include <waybill/detail/transport.hpp>
#include <waybill/outgoing.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <typeindex>
#include <vector>

namespace waybill::detail {

/// Where one type that a handler publishes goes, as declared.
struct output_route {
    const value_type* type = nullptr;
    std::string address;
};

struct subscription_plan {
    declaration declared;
    detail::handler handler;
    codec format;  ///< null: the router's, then the app's
    std::vector<output_route> routes;
    std::function<void(outgoing&, const delivery&)> on_retry_copy;
};

/// A maker of shared state and the type that it makes.
struct state_maker {
    std::type_index type;
    std::string_view name;
    std::function<std::shared_ptr<void>()> make;
};

}  // namespace waybill::detail
