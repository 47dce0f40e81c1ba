/// Runs the demo as a person would, and says what came of it.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace demo {

struct how_to_run {
    std::vector<std::string> arguments = {};
    std::map<std::string, std::string> environment = {};
    std::optional<winsize> window = {};           ///< a terminal in the place of pipes
    std::optional<std::size_t> close_after = {};  ///< the reader goes away after so many bytes
    std::string interrupt_at = {};                ///< SIGINT when this is in the output
    std::string output_file = {};                 ///< instead of a pipe
};

struct what_came {
    int exit_code = -1;  ///< 128 + the signal that ended it
    std::string out;
    std::string problems;
    std::chrono::milliseconds took{0};
};

inline std::string demo_program() {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "demo").string();
}

[[noreturn]] inline void become_demo(const how_to_run& how) {
    ::unsetenv("NO_COLOR");
    ::unsetenv("COLUMNS");
    ::unsetenv("LC_ALL");
    ::setenv("LC_CTYPE", "C.UTF-8", 1);
    ::setenv("TERM", "xterm", 1);
    for (const auto& [name, value] : how.environment) ::setenv(name.c_str(), value.c_str(), 1);
    auto program = demo_program();
    auto arguments = how.arguments;
    std::vector<char*> pointers{program.data()};
    for (auto& each : arguments) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    ::execv(program.c_str(), pointers.data());
    ::_exit(127);
}

/// Reads both ends until both are closed.
inline void read_all(int out, int problems, const how_to_run& how, pid_t child, what_came& into) {
    bool interrupts = !how.interrupt_at.empty();
    std::array<pollfd, 2> ends{{{out, POLLIN, 0}, {problems, POLLIN, 0}}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        ::poll(ends.data(), ends.size(), 20);
        if (interrupts && into.out.find(how.interrupt_at) != std::string::npos) {
            ::kill(child, SIGINT);
            interrupts = false;
        }
        for (auto& end : ends) {
            if (end.fd < 0 || end.revents == 0) continue;
            std::array<char, 65536> part{};
            const auto size = ::read(end.fd, part.data(), part.size());
            auto& text = end.fd == out ? into.out : into.problems;
            if (size > 0) text.append(part.data(), static_cast<std::size_t>(size));
            const bool enough = end.fd == out && how.close_after && text.size() >= *how.close_after;
            if (size > 0 && !enough) continue;
            ::close(end.fd);
            end.fd = -1;
        }
    }
}

inline what_came run_demo(const how_to_run& how) {
    std::array<int, 2> out{};
    std::array<int, 2> problems{};
    if (::pipe(problems.data()) != 0) std::abort();
    if (how.window) {
        ::openpty(&out[0], &out[1], nullptr, nullptr, &*how.window);
    } else if (::pipe(out.data()) != 0) {
        std::abort();
    }
    if (!how.output_file.empty()) {
        ::close(out[1]);
        out[1] = ::open(how.output_file.c_str(), O_WRONLY);
    }
    what_came result;
    const auto began = std::chrono::steady_clock::now();
    const auto child = ::fork();
    if (child == 0) {
        ::dup2(out[1], STDOUT_FILENO);
        ::dup2(problems[1], STDERR_FILENO);
        for (const int each : {out[0], out[1], problems[0], problems[1]}) ::close(each);
        become_demo(how);
    }
    ::close(out[1]);
    ::close(problems[1]);
    read_all(out[0], problems[0], how, child, result);
    int status = 0;
    ::waitpid(child, &status, 0);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began);
    return result;
}

}  // namespace demo
