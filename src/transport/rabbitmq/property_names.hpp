/// The properties of a message in the order in which the protocol writes them, the table of headers
/// among them; the first has the highest bit of the flags.
#pragma once

#include "transport/rabbitmq/values.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace waybill::rabbitmq {

enum class property_form : std::uint8_t { text, table, octet, timestamp };

struct property_place {
    std::string_view name;  ///< "" for the table of headers
    property_form form;
};

inline constexpr std::array<property_place, 14> property_places{{
    {property::content_type, property_form::text},
    {property::content_encoding, property_form::text},
    {"", property_form::table},
    {property::delivery_mode, property_form::octet},
    {property::priority, property_form::octet},
    {property::correlation_id, property_form::text},
    {property::reply_to, property_form::text},
    {property::expiration, property_form::text},
    {property::message_id, property_form::text},
    {property::timestamp, property_form::timestamp},
    {property::type, property_form::text},
    {property::user_id, property_form::text},
    {property::app_id, property_form::text},
    {property::cluster_id, property_form::text},
}};
inline constexpr std::size_t table_place = 2;

}  // namespace waybill::rabbitmq
