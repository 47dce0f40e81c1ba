#include "transport/rabbitmq/io/reach.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

namespace waybill::rabbitmq::io {
namespace {

using std::chrono::steady_clock;

/// 0, or the errno.
int finish_connecting(int descriptor, steady_clock::time_point deadline) {
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
        if (left.count() <= 0) return ETIMEDOUT;
        pollfd wanted{descriptor, POLLOUT, 0};
        const int ready = poll(&wanted, 1, static_cast<int>(left.count()));
        if (ready < 0 && errno != EINTR) return errno;
        if (ready <= 0) continue;
        int failure = 0;
        socklen_t size = sizeof failure;
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 ? failure : errno;
    }
}

/// A connected descriptor, or minus the errno.
int connect_to(const addrinfo& address, steady_clock::time_point deadline) {
    const int descriptor = socket(
        address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol);
    if (descriptor < 0) return -errno;
    const int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    int failure = connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
    if (failure == EINPROGRESS || failure == EINTR)
        failure = finish_connecting(descriptor, deadline);
    if (failure == 0) return descriptor;
    close(descriptor);
    return -failure;
}

}  // namespace

std::expected<int, std::string> reach(const host_port& host, std::chrono::milliseconds within) {
    const auto deadline = steady_clock::now() + within;
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    const int unknown =
        getaddrinfo(host.host.c_str(), std::to_string(host.port).c_str(), &wanted, &list);
    if (unknown != 0) {
        return std::unexpected{fmt::format("the name has no address ({})", gai_strerror(unknown))};
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner{list, freeaddrinfo};
    return reach_one_of(list, deadline);
}

std::expected<int, std::string> reach_one_of(const addrinfo* list,
                                             steady_clock::time_point deadline) {
    int left = 0;
    for (const auto* address = list; address != nullptr; address = address->ai_next) ++left;
    int failure = ETIMEDOUT;
    for (const auto* address = list; address != nullptr; address = address->ai_next) {
        const auto now = steady_clock::now();
        const int descriptor = connect_to(*address, now + (deadline - now) / left--);
        if (descriptor >= 0) return descriptor;
        failure = -descriptor;
    }
    return std::unexpected{std::system_category().message(failure)};
}

}  // namespace waybill::rabbitmq::io
