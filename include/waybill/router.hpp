/// A group of subscriptions with a codec of its own, built away from the app and mounted on a
/// broker; routers nest. Used on the thread that wires the app; what was mounted need not be kept.
#pragma once

#include <waybill/codec.hpp>
#include <waybill/detail/handler.hpp>
#include <waybill/detail/plan.hpp>
#include <waybill/export.h>
#include <waybill/subscription.hpp>

#include <concepts>
#include <deque>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace waybill {

class WAYBILL_API router {
public:
    /// For every subscription in it that names none.
    router& codec(waybill::codec format);

    /// Subscribes a handler; what is returned declares the rest and stays valid with the router
    /// and with the app that it is mounted on. A name that is overloaded needs a static_cast.
    template <class OneFunctionSoCastAnOverloadAndGiveATemplateItsType>
    subscription& subscribe(source from,
                            OneFunctionSoCastAnOverloadAndGiveATemplateItsType&& handler) {
        using given = OneFunctionSoCastAnOverloadAndGiveATemplateItsType;
        return add(std::move(from), detail::make_handler(std::forward<given>(handler)));
    }

    template <std::convertible_to<std::string_view> Text, class Handler>
    subscription& subscribe(Text&&, Handler&&) {  // never compiles: says why
        static_assert(std::is_same_v<Text, source>,
                      "waybill: a name is no source: say which transport reads it, as in "
                      "waybill::memory::queue(\"orders\")");
        return handles_.front();
    }

    /// Takes in another router with its codec. What its `subscribe` returned stays valid.
    router& mount(router nested);

    /// Every subscription with the codec that holds for it; null: the app's.
    [[nodiscard]] std::vector<std::shared_ptr<detail::subscription_plan>> plans() const;

private:
    subscription& add(source from, detail::handler handler);

    waybill::codec format_;
    std::vector<std::shared_ptr<detail::subscription_plan>> plans_;
    std::deque<subscription> handles_;
    std::vector<router> nested_;
};

}  // namespace waybill
