#include "scenario/live/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

extern char** environ;

namespace waybill::scenario {
namespace {

/// Ours, which no program inherits, and the other one's.
std::array<int, 2> make_pair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
        throw std::system_error{errno, std::generic_category(), "socketpair"};
    }
    ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    return ends;
}

}  // namespace

process::process(const std::string& program, const std::vector<std::string>& arguments) {
    const auto events = make_pair();
    events_ = std::make_unique<line_socket>(events[0]);
    const auto commands = make_pair();
    commands_ = std::make_unique<line_socket>(commands[0]);
    auto all = arguments;
    all.insert(all.begin(), program);
    all.push_back(std::to_string(events[1]));
    all.push_back(std::to_string(commands[1]));
    std::vector<char*> pointers;
    pointers.reserve(all.size() + 1);
    for (auto& each : all) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    const int failed =
        ::posix_spawn(&id_, program.c_str(), nullptr, nullptr, pointers.data(), environ);
    ::close(events[1]);
    ::close(commands[1]);
    if (failed != 0) throw std::system_error{failed, std::generic_category(), program};
}

process::~process() { kill(); }

void process::kill() noexcept {
    if (id_ > 0) ::kill(id_, SIGKILL);
    wait();
}

void process::wait() noexcept {
    if (id_ <= 0) return;
    while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
}

}  // namespace waybill::scenario
