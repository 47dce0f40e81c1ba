#include "transport/rabbitmq/server/registry.hpp"

#include <charconv>
#include <map>
#include <mutex>
#include <utility>

namespace waybill::rabbitmq::fake {
namespace {

struct servers {
    std::mutex mutex;
    std::map<std::pair<std::string, std::uint16_t>, std::weak_ptr<server>> all;

    std::shared_ptr<server> find(const host_port& at) {
        const auto found = all.find({at.host, at.port});
        return found == all.end() ? nullptr : found->second.lock();
    }
};

servers& everywhere() {
    static servers all;
    return all;
}

std::string decoded(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned code = 0;
        const auto* digits = text.data() + at + 1;
        if (text[at] == '%' && at + 2 < text.size() &&
            std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
            plain += static_cast<char>(code);
            at += 2;
        } else {
            plain += text[at];
        }
    }
    return plain;
}

host_port host_in(std::string_view text, std::uint16_t usual_port) {
    const auto colon = text.rfind(':');
    const auto bracket = text.rfind(']');
    const bool has_port =
        colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    auto host = has_port ? text.substr(0, colon) : text;
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    auto port = usual_port;
    if (has_port) {
        const auto digits = text.substr(colon + 1);
        std::from_chars(digits.data(), digits.data() + digits.size(), port);
    }
    return {decoded(host), port};
}

}  // namespace

place place_of(std::string_view url) {
    const std::uint16_t usual_port = url.starts_with("amqps") ? 5671 : 5672;
    if (const auto scheme = url.find("://"); scheme != std::string_view::npos)
        url.remove_prefix(scheme + 3);
    url = url.substr(0, url.find('?'));
    const auto slash = url.find('/');
    auto hosts = url.substr(0, slash);
    if (const auto at = hosts.rfind('@'); at != std::string_view::npos) hosts.remove_prefix(at + 1);
    place found;
    if (slash != std::string_view::npos && slash + 1 < url.size())
        found.vhost = decoded(url.substr(slash + 1));
    while (true) {
        const auto comma = hosts.find(',');
        found.hosts.push_back(host_in(hosts.substr(0, comma), usual_port));
        if (comma == std::string_view::npos) return found;
        hosts.remove_prefix(comma + 1);
    }
}

std::shared_ptr<server> find_server(const host_port& at) {
    auto& known = everywhere();
    const std::lock_guard lock{known.mutex};
    return known.find(at);
}

std::shared_ptr<server> find_or_put(const std::vector<host_port>& at,
                                    const std::shared_ptr<server>& made) {
    auto& known = everywhere();
    const std::lock_guard lock{known.mutex};
    for (const auto& each : at) {
        if (auto there = known.find(each)) return there;
    }
    for (const auto& each : at) known.all.insert_or_assign({each.host, each.port}, made);
    return made;
}

}  // namespace waybill::rabbitmq::fake
