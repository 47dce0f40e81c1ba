/// A TCP proxy on loopback that does what rules say when it sees the n-th frame of a kind.
///
/// Guarantee: without rules it is a plain proxy, for any protocol. A rule or an action is in force
/// when the call that gives it returns. What is random comes from the seed, each connection's own.
/// Frames are passed on whole.
///
/// Has a thread of its own; every function may be called from any thread. The destructor closes
/// all connections. What fails while it starts throws std::system_error.
#pragma once

#include "frame.hpp"
#include "rule.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace faults {

struct proxy_options {
    std::uint16_t server_port = 0;  // on 127.0.0.1
    std::uint16_t port = 0;         // 0: one that is free
    std::uint64_t seed = 1;
    /// Called for each piece before it passes, in the proxy's thread.
    std::function<void(side, const piece&)> watch{};
};

class proxy {
public:
    explicit proxy(proxy_options options);
    explicit proxy(std::uint16_t server_port) : proxy{proxy_options{.server_port = server_port}} {}
    ~proxy();
    proxy(const proxy&) = delete;
    proxy& operator=(const proxy&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept;

    void add(rule one);
    /// A text that is no rule throws std::invalid_argument that says why.
    void add(std::string_view text);
    /// Forgets the rules that have not acted.
    void clear();
    /// Does it now, to every connection.
    void act(const action& what);
    void act(std::string_view text);

    /// How many pieces of a name (or, named `frame`, of all that are frames) began to pass.
    [[nodiscard]] std::uint64_t seen(side from, std::string_view name) const;
    /// The bytes of the longest direction of a connection that there was.
    [[nodiscard]] std::uint64_t most_bytes(side from) const;
    [[nodiscard]] std::uint64_t accepted() const;
    /// How often a rule acted.
    [[nodiscard]] std::uint64_t acted() const;
    /// Waits until rules have acted so often; false when the time is over.
    [[nodiscard]] bool wait_acted(std::uint64_t times, std::chrono::milliseconds at_most) const;

private:
    class engine;
    std::unique_ptr<engine> engine_;
};

}  // namespace faults
