/// A connection through the proxy: two sockets and the two directions between them. Owns both
/// sockets. Belongs to the proxy's thread.
#pragma once

#include "stream.hpp"

#include <poll.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

namespace faults {

class link {
public:
    link(int client, int server, std::uint64_t seed, const stream::meet& ask);
    ~link();
    link(const link&) = delete;
    link& operator=(const link&) = delete;

    /// What poll is to wait for, the client's socket first.
    [[nodiscard]] std::array<pollfd, 2> waits_for(instant now) const;
    [[nodiscard]] std::optional<instant> wakes() const;
    /// Reads and writes what poll found ready.
    void serve(const std::array<pollfd, 2>& found, instant now);
    /// Moves both directions on; `due` gets what is to be done, and may do it to this link.
    void advance(instant now, const std::function<void(link&, const action&)>& due);
    [[nodiscard]] bool done() const noexcept;

    void cut(bool reset);
    void hold_until(instant end, std::optional<side> only);
    void split(splitting how);

private:
    std::array<int, 2> sockets_;
    std::array<stream, 2> streams_;  // by the side whose socket they read
    std::array<bool, 2> hung_up_{};
    bool cut_ = false;
};

}  // namespace faults
