#include "transport/rabbitmq/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace waybill::rabbitmq {
namespace {

constexpr std::string_view form = "amqp://user:password@host:port/vhost";

/// -1: no such digit.
int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::optional<std::string> decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        const int high = hex_digit(text[i + 1]);
        const int low = hex_digit(text[i + 2]);
        // The library that logs in takes strings that end at a zero.
        if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

std::optional<std::uint64_t> whole(std::string_view text, std::uint64_t least, std::uint64_t most) {
    std::uint64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc{} || at != end || number < least || number > most) return std::nullopt;
    return number;
}

/// Reads a URL part by part and collects the mistakes. The text of a mistake quotes only the
/// scheme, what stands behind the last '@' or '/' that can belong to a password, and the names of
/// query keys.
class url_reader {
public:
    std::expected<connection_settings, std::vector<error>> read(std::string_view url) {
        if (!take_scheme(url)) return std::unexpected{std::move(mistakes_)};
        const auto query_at = url.find('?');
        if (query_at != url.npos) take_query(url.substr(query_at + 1));
        url = url.substr(0, query_at);
        // A password may hold '@' or '/' that somebody forgot to encode: the hosts begin after the
        // last '@', and a '/' before it is a mistake.
        const auto login_end = url.rfind('@');
        const auto slash = url.find('/');
        if (login_end != url.npos) {
            if (slash < login_end || url.find('@') != login_end) {
                fault("The user or the password holds a '/' or '@' that is not encoded",
                      "Write '/' as %2F, '@' as %40, ':' as %3A and '%' as %25 in them");
                url = {};
            } else {
                take_login(url.substr(0, login_end));
                url = url.substr(login_end + 1);
            }
        }
        if (mistakes_.empty() || !url.empty()) take_place(url);
        if (to_.by == login::external && !to_.tls.on) {
            fault("auth_mechanism=external takes amqps and a certificate of the client",
                  "Write an amqps URL with certfile and keyfile, or leave auth_mechanism out");
        }
        if (to_.tls.certificate_file.empty() != to_.tls.key_file.empty()) {
            fault("One of certfile and keyfile is given without the other", "Give both, or none");
        }
        if (!mistakes_.empty()) return std::unexpected{std::move(mistakes_)};
        return std::move(to_);
    }

private:
    void fault(std::string what, std::string fix) {
        mistakes_.push_back({errc::wiring, "rabbitmq URL", std::move(what), std::move(fix)});
    }

    bool take_scheme(std::string_view& url) {
        if (url.starts_with("amqps://")) {
            to_.tls.on = true;
            url.remove_prefix(8);
            return true;
        }
        if (url.starts_with("amqp://")) {
            url.remove_prefix(7);
            return true;
        }
        fault("It begins with neither amqp:// nor amqps://", fmt::format("Write {}", form));
        return false;
    }

    void take_login(std::string_view text) {
        const auto colon = text.find(':');
        const auto user = decoded(text.substr(0, colon));
        const auto password =
            decoded(colon == text.npos ? std::string_view{} : text.substr(colon + 1));
        if (colon != text.npos && text.find(':', colon + 1) != text.npos) {
            fault("The password holds a ':' that is not encoded", "Write it as %3A");
        } else if (!user || !password) {
            fault("The user or the password holds a '%' without two hexadecimal digits, or %00",
                  "Write '%' as %25");
        } else if (user->empty()) {
            fault("There is an '@' but no user before it", fmt::format("Write {}", form));
        } else {
            to_.user = *user;
            to_.password = *password;
        }
    }

    void take_place(std::string_view text) {
        const auto slash = text.find('/');
        auto hosts = text.substr(0, slash);
        while (true) {
            const auto comma = hosts.find(',');
            take_host(hosts.substr(0, comma));
            if (comma == hosts.npos) break;
            hosts.remove_prefix(comma + 1);
        }
        if (slash == text.npos) return;
        const auto vhost = text.substr(slash + 1);
        const auto name = decoded(vhost);
        if (vhost.find('/') != vhost.npos) {
            fault("The virtual host holds a '/' that is not encoded", "Write it as %2F");
        } else if (!name || name->size() > 255) {
            fault(
                "The virtual host is longer than 255 bytes, or holds a '%' without two "
                "hexadecimal digits, or %00",
                "Write '%' as %25");
        } else {
            to_.vhost = *name;
        }
    }

    void take_host(std::string_view text) {
        std::string_view host = text;
        std::optional<std::string_view> port;
        if (text.starts_with('[')) {
            const auto end = text.find(']');
            host = end == text.npos ? std::string_view{} : text.substr(1, end - 1);
            const auto behind = end == text.npos ? std::string_view{} : text.substr(end + 1);
            if (behind.starts_with(':'))
                port = behind.substr(1);
            else if (!behind.empty())
                host = {};
        } else if (const auto colon = text.find(':'); colon != text.npos) {
            host = text.substr(0, colon);
            port = text.substr(colon + 1);
        }
        const auto name = decoded(host);
        if (!name || name->empty()) {
            fault("A host has no name that can be read",
                  fmt::format("Write {}, with an IPv6 address in brackets", form));
            return;
        }
        std::uint64_t number = to_.tls.on ? 5671 : 5672;
        if (port) {
            // Somebody who forgot the host after "user:password" has the password here: not quoted.
            const auto given = whole(*port, 1, std::numeric_limits<std::uint16_t>::max());
            if (!given) {
                fault("A port is no number from 1 to 65535",
                      "Write host:port; an IPv6 address stands in brackets, as in [::1]:5672");
                return;
            }
            number = *given;
        }
        to_.hosts.push_back({*name, static_cast<std::uint16_t>(number)});
    }

    void take_query(std::string_view text) {
        while (!text.empty()) {
            const auto end = text.find('&');
            const auto pair = text.substr(0, end);
            const auto equals = pair.find('=');
            const auto key = pair.substr(0, equals);
            const auto value =
                decoded(equals == pair.npos ? std::string_view{} : pair.substr(equals + 1));
            if (!value) {
                fault(fmt::format("The value of {} holds a '%' without two hexadecimal digits",
                                  known(key)),
                      "Write '%' as %25");
            } else if (!pair.empty()) {
                take_option(key, *value);
            }
            text = end == text.npos ? std::string_view{} : text.substr(end + 1);
        }
    }

    /// A password with a raw '?' would show as a key: only what is a key is repeated.
    static std::string_view known(std::string_view key) {
        static constexpr std::string_view keys[] = {"heartbeat",      "connection_timeout",
                                                    "channel_max",    "frame_max",
                                                    "auth_mechanism", "cacertfile",
                                                    "certfile",       "keyfile",
                                                    "verify",         "server_name_indication"};
        const auto* found = std::ranges::find(keys, key);
        return found == std::end(keys) ? std::string_view{"an option"} : *found;
    }

    template <class Number>
    void take_number(std::string_view key, std::string_view value, std::uint64_t least,
                     std::uint64_t most, Number& into) {
        if (const auto number = whole(value, least, most)) {
            into = Number(static_cast<std::uint32_t>(*number));
            return;
        }
        fault(fmt::format("{} is no whole number from {} to {}", key, least, most),
              "Give it such a number");
    }

    void take_option(std::string_view key, const std::string& value) {
        if (key == "heartbeat") return take_number(key, value, 0, 65'535, to_.heartbeat);
        if (key == "connection_timeout")
            return take_number(key, value, 1, 3'600'000, to_.connection_timeout);
        if (key == "channel_max") return take_number(key, value, 1, 65'535, to_.channel_max);
        if (key == "frame_max")
            return take_number(key, value, 4096, std::numeric_limits<std::int32_t>::max(),
                               to_.frame_max);
        if (key == "auth_mechanism") return take_mechanism(value);
        if (known(key) != key) {
            return fault("It has an option that there is not, or a '?' in the password",
                         "The options are heartbeat, connection_timeout, channel_max, frame_max, "
                         "auth_mechanism, and with amqps cacertfile, certfile, keyfile, verify and "
                         "server_name_indication; write a '?' in a password as %3F");
        }
        if (!to_.tls.on) {
            return fault(fmt::format("{} is for amqps", key),
                         "Write amqps:// in the place of amqp://, or leave it out");
        }
        take_tls(key, value);
    }

    void take_mechanism(const std::string& value) {
        if (value == "plain" || value == "PLAIN")
            to_.by = login::plain;
        else if (value == "external" || value == "EXTERNAL")
            to_.by = login::external;
        else
            fault("auth_mechanism is neither plain nor external", "Give it one of the two");
    }

    void take_tls(std::string_view key, const std::string& value) {
        if (key == "verify") {
            if (value != "verify_peer" && value != "verify_none") {
                fault("verify is neither verify_peer nor verify_none", "Give it one of the two");
            }
            to_.tls.verifies_certificate = value != "verify_none";
            if (value == "verify_none") to_.tls.verifies_host_name = false;
        } else if (key == "server_name_indication") {
            if (value != "disable") {
                fault("server_name_indication can only be disable",
                      "Leave it out: the name of the host is checked then");
            }
            to_.tls.verifies_host_name = false;
        } else if (value.empty()) {
            fault(fmt::format("{} names no file", key), "Give it the path of a PEM file");
        } else if (key == "cacertfile") {
            to_.tls.ca_file = value;
        } else if (key == "certfile") {
            to_.tls.certificate_file = value;
        } else {
            to_.tls.key_file = value;
        }
    }

    connection_settings to_;
    std::vector<error> mistakes_;
};

std::string encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
        if (plain)
            out += c;
        else
            fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

}  // namespace

std::expected<connection_settings, std::vector<error>> parse_url(std::string_view url) {
    return url_reader{}.read(url);
}

std::string connection_settings::describe() const {
    std::string text = tls.on ? "amqps://" : "amqp://";
    const char* between = "";
    for (const auto& [host, port] : hosts) {
        const bool bracketed = host.find(':') != host.npos;
        fmt::format_to(std::back_inserter(text), "{}{}{}{}:{}", between, bracketed ? "[" : "", host,
                       bracketed ? "]" : "", port);
        between = ",";
    }
    return text + "/" + encoded(vhost);
}

}  // namespace waybill::rabbitmq
