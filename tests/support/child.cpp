#include "support/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

extern char** environ;

namespace waybill::test {
namespace {

constexpr int patience_ms = 60'000;

std::string beside_this_program(const std::string& name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace

child::child(const std::string& name, std::vector<std::string> arguments) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::system_error{errno, std::generic_category(), "pipe2"};
    }
    output_ = ends[0];
    auto program = beside_this_program(name);
    std::vector<char*> words{program.data()};
    for (auto& each : arguments) words.push_back(each.data());
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    const auto failed =
        ::posix_spawn(&process_, program.c_str(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (failed != 0) {
        process_ = -1;
        ::close(output_);
        throw std::system_error{failed, std::generic_category(), program};
    }
}

child::~child() {
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    ::close(output_);
}

bool child::read_more() {
    pollfd ready{output_, POLLIN, 0};
    if (::poll(&ready, 1, patience_ms) <= 0) return false;
    std::array<char, 4096> room{};
    const auto count = ::read(output_, room.data(), room.size());
    if (count <= 0) return false;
    said_.append(room.data(), static_cast<std::size_t>(count));
    return true;
}

bool child::says(std::string_view text) {
    while (said_.find(text) == said_.npos) {
        if (!read_more()) return false;
    }
    return true;
}

void child::send(int signal) const { ::kill(process_, signal); }

int child::wait() {
    // Its output ends when it does.
    while (read_more()) {
    }
    pollfd ended{output_, POLLIN, 0};
    if (::poll(&ended, 1, 0) <= 0) return -1;
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace waybill::test
