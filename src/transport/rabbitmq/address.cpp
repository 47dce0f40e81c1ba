#include "transport/rabbitmq/address.hpp"

#include "transport/rabbitmq/percent.hpp"
#include <waybill/rabbitmq.hpp>

#include <optional>

namespace waybill::rabbitmq {
namespace {

constexpr std::string_view exchanges = "/exchanges/";
constexpr std::string_view queues = "/queues/";
constexpr std::size_t longest_name = 255;  // a short string of the protocol

std::expected<target, std::string> checked(target made) {
    if (made.exchange.size() > longest_name || made.key.size() > longest_name) {
        return std::unexpected("a name or key is longer than 255 bytes");
    }
    if (made.is_queue() && made.key.empty()) return std::unexpected("a queue's name is missing");
    return made;
}

}  // namespace

std::expected<target, std::string> read_address(std::string_view address) {
    if (is_plain_queue(address)) return checked({{}, std::string{address}});
    const bool is_exchange = address.starts_with(exchanges);
    if (!is_exchange && !address.starts_with(queues)) {
        return std::unexpected("it begins with '/', but not with /exchanges/ or /queues/");
    }
    const auto rest = address.substr(is_exchange ? exchanges.size() : queues.size());
    const auto slash = rest.find('/');
    const auto first = percent_decoded(rest.substr(0, slash));
    const auto second =
        slash == std::string_view::npos ? std::string{} : percent_decoded(rest.substr(slash + 1));
    if (!first || !second)
        return std::unexpected("a '%' is not followed by two hexadecimal digits");
    if (!is_exchange) {
        if (slash != std::string_view::npos) {
            return std::unexpected("a '/' in a queue's name stands as %2F behind /queues/");
        }
        return checked({{}, *first});
    }
    if (first->empty()) return std::unexpected("an exchange's name is missing");
    return checked({*first, *second});
}

std::string write_address(std::string_view exchange, std::string_view key) {
    std::string made;
    if (!exchange.empty()) {
        made = exchanges;
        append_percent_encoded(made, exchange);
        if (key.empty()) return made;
        made += '/';
        append_percent_encoded(made, key);
    } else if (is_plain_queue(key)) {
        made = key;
    } else {
        made = queues;
        append_percent_encoded(made, key);
    }
    return made;
}

std::string exchange_key(std::string_view exchange, std::string_view key) {
    return write_address(exchange, key);
}

}  // namespace waybill::rabbitmq
