#include "faults/proxy/engine.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

namespace faults {
namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error{errno, std::generic_category(), what};
}

constexpr int backlog = 128;

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// -1 when nobody listens there.
int connect_to(std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = loopback(port);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        return socket;
    }
    ::close(socket);
    return -1;
}

}  // namespace

proxy::engine::engine(proxy_options options) : options_{std::move(options)}, port_{options_.port} {
    bind_listener();
    listen_on();
    thread_ = std::thread{[this] { run(); }};
}

void proxy::engine::bind_listener() {
    // A socket keeps its port through `refuse` only when it was bound to it by number: one that is
    // free is found with another socket, which keeps it until then.
    const descriptor finder{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"};
    for (const int each : {finder.number(), listener_.number()}) {
        const int on = 1;
        ::setsockopt(each, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        auto address = loopback(port_);
        socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        if (::bind(each, any, size) != 0) fail("bind");
        if (::getsockname(each, any, &size) != 0) fail("getsockname");
        port_ = ntohs(address.sin_port);
    }
}

proxy::engine::~engine() {
    locked([this] { stopping_ = true; });
    thread_.join();
}

void proxy::engine::listen_on() const {
    if (::listen(listener_.number(), backlog) != 0) fail("listen");
}

void proxy::engine::wake() const {
    const std::uint64_t one = 1;
    // It can only fail when the thread is awake already.
    [[maybe_unused]] const auto written = ::write(wake_.number(), &one, sizeof one);
}

void proxy::engine::run() {
    std::unique_lock lock{mutex_};
    while (!stopping_) {
        const auto now = std::chrono::steady_clock::now();
        auto all = waits_for(now);
        const int at_most = patience(now);
        lock.unlock();
        ::poll(all.data(), all.size(), at_most);
        lock.lock();
        cycle(all);
    }
}

std::vector<pollfd> proxy::engine::waits_for(instant now) {
    std::vector<pollfd> all{{wake_.number(), POLLIN, 0},
                            {listening_ ? listener_.number() : -1, POLLIN, 0}};
    polled_.clear();
    for (auto& each : links_) {
        const auto both = each.waits_for(now);
        all.insert(all.end(), both.begin(), both.end());
        polled_.push_back(&each);
    }
    return all;
}

int proxy::engine::patience(instant now) const {
    std::optional<instant> first;
    for (const auto& each : links_) {
        const auto wakes = each.wakes();
        if (wakes && (!first || *wakes < *first)) first = wakes;
    }
    if (!first) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - now).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

void proxy::engine::cycle(const std::vector<pollfd>& found) {
    std::uint64_t ignored = 0;
    [[maybe_unused]] const auto count = ::read(wake_.number(), &ignored, sizeof ignored);
    const auto now = std::chrono::steady_clock::now();
    for (std::size_t each = 0; each < polled_.size(); ++each) {
        if (!polled_[each]->done())
            polled_[each]->serve({found[2 + 2 * each], found[3 + 2 * each]}, now);
    }
    for (auto& each : links_) {
        each.advance(now, [this](link& on, const action& what) {
            act(on, what);
            ++acted_;
            acted_changed_.notify_all();
        });
    }
    std::erase_if(links_, [](const link& each) { return each.done(); });
    if (listening_ && (found[1].revents & POLLIN) != 0) accept_one();
}

void proxy::engine::accept_one() {
    const int client = ::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = connect_to(options_.server_port);
    if (server < 0) {
        ::close(client);
        return;
    }
    links_.emplace_back(client, server, options_.seed + accepted_++,
                        [this](side from, const piece& passing) { return meet(from, passing); });
}

std::vector<due_action> proxy::engine::meet(side from, const piece& passing) {
    const auto index = static_cast<std::size_t>(from);
    ++seen_[index][passing.name()];
    if (passing.kind != piece_kind::raw) ++seen_[index]["frame"];
    most_bytes_[index] = std::max(most_bytes_[index], passing.begins + passing.bytes.size());
    if (options_.watch) options_.watch(from, passing);
    return rules_.meet(from, passing);
}

void proxy::engine::act(link& on, const action& what) {
    const bool cut = what.what == deed::cut_reset || what.what == deed::cut_close;
    if (cut && what.all) {
        for (auto& each : links_) act_on_one(each, what);
    } else {
        act_on_one(on, what);
    }
    act_for_all(what);
}

void proxy::engine::act_on_all(const action& what) {
    for (auto& each : links_) act_on_one(each, what);
    act_for_all(what);
}

void proxy::engine::act_on_one(link& on, const action& what) {
    const auto now = std::chrono::steady_clock::now();
    switch (what.what) {
        case deed::cut_reset:
            on.cut(true);
            break;
        case deed::cut_close:
            on.cut(false);
            break;
        case deed::stall:
            on.hold_until(now + what.time, what.only);
            break;
        case deed::hold:
            on.hold_until(instant::max(), what.only);
            break;
        case deed::release:
            on.hold_until(instant::min(), std::nullopt);
            break;
        case deed::split_bytes:
            on.split(splitting::bytes);
            break;
        case deed::split_random:
            on.split(splitting::random);
            break;
        case deed::split_off:
            on.split(splitting::off);
            break;
        case deed::refuse:
        case deed::allow:
        case deed::kill:
        case deed::call:
            break;
    }
}

void proxy::engine::act_for_all(const action& what) {
    if (what.what == deed::refuse && listening_) {
        // The socket keeps its port, and whoever comes is refused.
        ::shutdown(listener_.number(), SHUT_RDWR);
        listening_ = false;
    } else if (what.what == deed::allow && !listening_) {
        listen_on();
        listening_ = true;
    } else if (what.what == deed::kill) {
        ::kill(what.process, SIGKILL);
    } else if (what.what == deed::call) {
        what.function();
    }
}

bool proxy::engine::wait_acted(std::uint64_t times, std::chrono::milliseconds at_most) {
    std::unique_lock lock{mutex_};
    return acted_changed_.wait_for(lock, at_most, [&] { return acted_ >= times; });
}

}  // namespace faults
