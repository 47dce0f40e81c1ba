#include "transport/rabbitmq/address.hpp"

#include <waybill/rabbitmq.hpp>

#include <cctype>
#include <optional>

namespace waybill::rabbitmq {
namespace {

constexpr std::string_view exchanges = "/exchanges/";
constexpr std::string_view queues = "/queues/";
constexpr std::size_t longest_name = 255;  // a short string of the protocol

constexpr bool is_unreserved(char letter) noexcept {
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    return is_letter || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' ||
           letter == '.' || letter == '~';
}

void append_encoded(std::string& to, std::string_view plain) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    for (const char letter : plain) {
        if (is_unreserved(letter)) {
            to += letter;
            continue;
        }
        const auto byte = static_cast<unsigned char>(letter);
        to += '%';
        to += digits[byte >> 4U];
        to += digits[byte & 15U];
    }
}

int value_of(char digit) noexcept {
    if (digit >= '0' && digit <= '9') return digit - '0';
    const auto lower = static_cast<char>(digit | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> decoded(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            plain += text[at];
            continue;
        }
        if (at + 2 >= text.size()) return std::nullopt;
        const int high = value_of(text[at + 1]);
        const int low = value_of(text[at + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        plain += static_cast<char>(high * 16 + low);
        at += 2;
    }
    return plain;
}

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
    const auto first = decoded(rest.substr(0, slash));
    const auto second =
        slash == std::string_view::npos ? std::string{} : decoded(rest.substr(slash + 1));
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
        append_encoded(made, exchange);
        if (key.empty()) return made;
        made += '/';
        append_encoded(made, key);
    } else if (is_plain_queue(key)) {
        made = key;
    } else {
        made = queues;
        append_encoded(made, key);
    }
    return made;
}

std::string exchange_key(std::string_view exchange, std::string_view key) {
    return write_address(exchange, key);
}

}  // namespace waybill::rabbitmq
