#include "transport/rabbitmq/url_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace waybill::rabbitmq {
namespace {

using fault = std::optional<url_mistake>;

template <class Number>
fault take_number(std::string_view key, std::string_view value, std::uint64_t least,
                  std::uint64_t most, Number& into) {
    const auto number = whole_number(value, least, most);
    if (!number) {
        return url_mistake{fmt::format("{} is no whole number from {} to {}", key, least, most),
                           "Give it such a number"};
    }
    into = Number(static_cast<std::uint32_t>(*number));
    return {};
}

fault take_mechanism(connection_settings& to, std::string_view value) {
    if (value == "plain" || value == "PLAIN") {
        to.by = login::plain;
    } else if (value == "external" || value == "EXTERNAL") {
        to.by = login::external;
    } else {
        return url_mistake{"auth_mechanism is neither plain nor external",
                           "Give it one of the two"};
    }
    return {};
}

fault take_verification(tls_settings& to, std::string_view value) {
    if (value != "verify_peer" && value != "verify_none") {
        return url_mistake{"verify is neither verify_peer nor verify_none",
                           "Give it one of the two"};
    }
    to.verifies_certificate = value != "verify_none";
    if (value == "verify_none") to.verifies_host_name = false;
    return {};
}

fault take_server_name(tls_settings& to, std::string_view value) {
    if (value != "disable") {
        return url_mistake{"server_name_indication can only be disable",
                           "Leave it out: the name of the host is checked then"};
    }
    to.verifies_host_name = false;
    return {};
}

fault take_tls(tls_settings& to, std::string_view key, const std::string& value) {
    if (key == "verify") return take_verification(to, value);
    if (key == "server_name_indication") return take_server_name(to, value);
    if (value.empty()) {
        return url_mistake{fmt::format("{} names no file", key), "Give it the path of a PEM file"};
    }
    auto& file = key == "cacertfile" ? to.ca_file
                 : key == "certfile" ? to.certificate_file
                                     : to.key_file;
    file = value;
    return {};
}

constexpr std::string_view keys[] = {
    "heartbeat",  "connection_timeout", "channel_max", "frame_max", "auth_mechanism",
    "cacertfile", "certfile",           "keyfile",     "verify",    "server_name_indication"};

/// How many letters must be put in, left out or changed to make one of the other.
std::size_t letters_between(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t at = 0; at < one.size(); ++at) {
        auto diagonal = std::exchange(row[0], at + 1);
        for (std::size_t to = 0; to < other.size(); ++to) {
            const auto changed = diagonal + (one[at] == other[to] ? 0U : 1U);
            diagonal = row[to + 1];
            row[to + 1] = std::min({changed, row[to] + 1, diagonal + 1});
        }
    }
    return row.back();
}

/// What was given may be a piece of a password, so only what was probably meant is shown.
std::string meant(std::string_view key) {
    constexpr std::size_t longest = 64;
    if (key.size() > longest) return {};
    for (const auto each : keys) {
        if (letters_between(key, each) <= 2) return fmt::format("Did you mean {}? ", each);
    }
    return {};
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t least,
                                          std::uint64_t most) {
    std::uint64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc{} || at != end || number < least || number > most) return std::nullopt;
    return number;
}

std::string_view shown_option(std::string_view key) {
    const auto* found = std::ranges::find(keys, key);
    return found == std::end(keys) ? std::string_view{"an option"} : *found;
}

std::optional<url_mistake> take_option(connection_settings& to, std::string_view key,
                                       const std::string& value) {
    constexpr auto longest_frame = std::numeric_limits<std::int32_t>::max();
    if (key == "heartbeat") return take_number(key, value, 0, 65'535, to.heartbeat);
    if (key == "connection_timeout") {
        return take_number(key, value, 1, 3'600'000, to.connection_timeout);
    }
    if (key == "channel_max") return take_number(key, value, 1, 65'535, to.channel_max);
    if (key == "frame_max") return take_number(key, value, 4096, longest_frame, to.frame_max);
    if (key == "auth_mechanism") return take_mechanism(to, value);
    if (shown_option(key) != key) {
        return url_mistake{"It has an option that there is not, or a '?' in the password",
                           meant(key) +
                               "The options are heartbeat, connection_timeout, channel_max, "
                               "frame_max, auth_mechanism, and with amqps cacertfile, certfile, "
                               "keyfile, verify and server_name_indication; write a '?' in a "
                               "password as %3F"};
    }
    if (!to.tls.on) {
        return url_mistake{fmt::format("{} is for amqps", key),
                           "Write amqps:// in the place of amqp://, or leave it out"};
    }
    return take_tls(to.tls, key, value);
}

}  // namespace waybill::rabbitmq
