#include "transport/rabbitmq/percent.hpp"
#include "transport/rabbitmq/settings.hpp"
#include "transport/rabbitmq/url_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace waybill::rabbitmq {
namespace {

constexpr std::string_view form = "amqp://user:password@host:port/vhost";

/// Nothing for a zero either: the library that logs in takes strings that end at one.
std::optional<std::string> decoded(std::string_view text) {
    auto plain = percent_decoded(text);
    if (plain && plain->find('\0') != std::string::npos) return std::nullopt;
    return plain;
}

constexpr std::string_view letters_and_digits =
    "abcdefghijklmnopqrstuvwxyz"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "0123456789";

bool has_only(std::string_view text, std::string_view those, std::string_view and_those) {
    return std::ranges::all_of(text, [&](char each) {
        return those.find(each) != those.npos || and_those.find(each) != and_those.npos;
    });
}

/// What a host is printed for: who has encoded "user:password@host" as a whole, or twice, has all
/// of it here.
bool is_host_name(std::string_view name) {
    return !name.empty() && has_only(name, letters_and_digits, "-._~");
}

/// With a zone where it has one: "fe80::1%eth0".
bool is_ipv6(std::string_view text) {
    const auto percent = text.find('%');
    const auto address = text.substr(0, percent);
    return address.find(':') != address.npos && has_only(address, "0123456789abcdefABCDEF", ":.") &&
           (percent == text.npos || is_host_name(text.substr(percent + 1)));
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
        } else if (colon == text.npos && user->find(':') != user->npos) {
            fault("The ':' between the user and the password is encoded",
                  fmt::format("Write {}", form));
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
        if (!name || !(text.starts_with('[') ? is_ipv6(*name) : is_host_name(*name))) {
            fault("A host has no name that can be read",
                  fmt::format("Write {}, where ':', '@' and '/' between the parts are not encoded, "
                              "with an IPv6 address in brackets",
                              form));
            return;
        }
        std::uint64_t number = to_.tls.on ? 5671 : 5672;
        if (port) {
            // Somebody who forgot the host after "user:password" has the password here: not quoted.
            const auto given = whole_number(*port, 1, std::numeric_limits<std::uint16_t>::max());
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
                                  shown_option(key)),
                      "Write '%' as %25");
            } else if (!pair.empty()) {
                if (auto wrong = take_option(to_, key, *value)) {
                    fault(std::move(wrong->what), std::move(wrong->fix));
                }
            }
            text = end == text.npos ? std::string_view{} : text.substr(end + 1);
        }
    }

    connection_settings to_;
    std::vector<error> mistakes_;
};

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
    text += '/';
    append_percent_encoded(text, vhost);
    return text;
}

}  // namespace waybill::rabbitmq
