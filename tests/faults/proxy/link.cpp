#include "link.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace faults {

link::link(int client, int server, std::uint64_t seed, const stream::meet& ask)
    : sockets_{client, server},
      streams_{stream{side::client, client, server, 2 * seed + 1, ask},
               stream{side::server, server, client, 2 * seed + 2, ask}} {
    for (const int socket : sockets_) {
        const int on = 1;
        ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
}

link::~link() {
    for (const int socket : sockets_) ::close(socket);
}

std::array<pollfd, 2> link::waits_for(instant now) const {
    std::array<pollfd, 2> all{};
    for (std::size_t each = 0; each < 2; ++each) {
        int events = 0;
        if (streams_[each].wants_to_read(now)) events |= POLLIN;
        if (streams_[1 - each].wants_to_write(now)) events |= POLLOUT;
        // A socket that hung up would be ready for ever: it is asked only when it is to be read.
        const bool asked = !hung_up_[each] || events != 0;
        all[each] = {asked ? sockets_[each] : -1, static_cast<short>(events), 0};
    }
    return all;
}

std::optional<instant> link::wakes() const {
    const auto one = streams_[0].wakes();
    const auto other = streams_[1].wakes();
    if (!one || !other) return one ? one : other;
    return std::min(*one, *other);
}

void link::serve(const std::array<pollfd, 2>& found, instant now) {
    for (std::size_t each = 0; each < 2; ++each) {
        const auto ready = found[each].revents;
        auto& reads = streams_[each];
        auto& writes = streams_[1 - each];
        if ((ready & (POLLIN | POLLERR | POLLHUP)) != 0 && reads.wants_to_read(now)) reads.read();
        if ((ready & POLLOUT) != 0 && writes.wants_to_write(now)) writes.write();
        if ((ready & (POLLERR | POLLHUP)) != 0) {
            hung_up_[each] = true;
            writes.break_off();
        }
    }
}

void link::advance(instant now, const std::function<void(link&, const action&)>& due) {
    for (auto& each : streams_) {
        while (!cut_) {
            const auto act = each.advance(now);
            if (!act) break;
            due(*this, *act);
        }
    }
}

bool link::done() const noexcept { return cut_ || std::ranges::all_of(streams_, &stream::done); }

void link::cut(bool reset) {
    if (cut_) return;
    cut_ = true;
    for (const int socket : sockets_) {
        if (reset) {
            const linger at_once{1, 0};
            ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        } else {
            // With bytes left to read, closing would be a reset.
            std::array<char, 4096> bytes;
            while (::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
            }
        }
    }
}

void link::hold_until(instant end, std::optional<side> only) {
    for (auto& each : streams_) {
        if (!only || *only == each.from()) each.hold_until(end);
    }
}

void link::split(splitting how) {
    for (auto& each : streams_) each.split(how);
}

}  // namespace faults
