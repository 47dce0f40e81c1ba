/// Publishes from outside of a handler: from `main`, an HTTP endpoint, another thread.
///
/// Guarantee: success means that the broker confirmed the message. A publish waits for that, and so
/// it does where the broker makes publishers wait for room; a stop ends the wait with an error.
/// Thread-safe; a handle that may be copied and outlive the app (then every publish says
/// `stopped`). Inside a handler use a reply, `out<T...>` or `context::publish`, which go with the
/// delivery's outcome.
#pragma once

#include <waybill/codec.hpp>
#include <waybill/detail/mistakes.hpp>
#include <waybill/error.hpp>
#include <waybill/export.h>
#include <waybill/fields.hpp>
#include <waybill/headers.hpp>
#include <waybill/outgoing.hpp>

#include <concepts>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace waybill {

namespace detail {
class broker_link;
}

class WAYBILL_API publisher {
public:
    /// For `broker::publisher`, which makes it.
    publisher(std::shared_ptr<detail::broker_link> link, codec format) noexcept;

    /// Publishes bytes as they are, whatever holds them. Waits for the confirmation. An error is
    /// `stopped`, `argument` (a name that is no address), or what the broker said: after `publish`
    /// and `unroutable` trying again may help, after `refused` it never does, and `connection`
    /// leaves open whether the broker has it.
    [[nodiscard("only a success means that the broker has the message")]]
    std::expected<void, error> publish(std::string_view address, std::span<const std::byte> payload,
                                       const headers& with = {}) const;
    /// The same for a message that has more than headers: a time to live.
    [[nodiscard("only a success means that the broker has the message")]]
    std::expected<void, error> publish(const outgoing& message) const;
    /// Publishes all of these and waits for their confirmations together, which takes as long as
    /// the broker needs for them, not a way there and back for each. One answer for each, in order:
    /// what was not confirmed may be published again without the others.
    [[nodiscard("only a success means that the broker has the message")]]
    std::vector<std::expected<void, error>> publish_all(std::span<const outgoing> messages) const;
    /// Encodes and publishes; the same errors, and `encode`.
    template <detail::encodable T>
    [[nodiscard("only a success means that the broker has the message")]]
    std::expected<void, error> publish(std::string_view address, const T& value,
                                       const headers& with = {}) const {
        return publish_value(address, value_type_of<T>(), &value, with);
    }
    /// To the address that the type names.
    template <detail::message_alone T>
    [[nodiscard("only a success means that the broker has the message")]]
    std::expected<void, error> publish(const T& value, const headers& with = {}) const {
        (void)detail::no_address<T>{};
        return publish(detail::own_address_of<T>(), value, with);
    }
    template <detail::neither_message_nor_payload T>  // never compiles: says why
    std::expected<void, error> publish(std::string_view, const T&, const headers& = {}) const {
        (void)detail::no_message<T>{};
        return {};
    }

    /// Encodes without publishing, for what `publish(const outgoing&)` is then to send.
    template <reflectable T>
    [[nodiscard]] std::expected<outgoing, error> message(std::string_view address,
                                                         const T& value) const {
        (void)detail::encoded_bytes<T>{};
        return message_of(address, value_type_of<T>(), &value);
    }

    /// The same broker, another codec.
    [[nodiscard]] publisher with_codec(codec format) const;

private:
    std::expected<void, error> publish_value(std::string_view address, const value_type& type,
                                             const void* value, const headers& with) const;

    std::expected<outgoing, error> message_of(std::string_view address, const value_type& type,
                                              const void* value) const;

    std::shared_ptr<detail::broker_link> link_;
    codec format_;
};

}  // namespace waybill
