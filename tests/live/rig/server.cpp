#include "live/rig/server.hpp"

#include <sys/wait.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace live {
namespace {

/// What it said; throws that when it fails.
std::string run(const std::string& command) {
    auto all = run_command(command);
    if (all.code != 0) throw std::runtime_error{command + ": " + all.said};
    return std::move(all.said);
}

std::string decoded(std::string_view text) {
    std::string all;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned byte = static_cast<unsigned char>(text[at]);
        if (text[at] == '%') {
            std::from_chars(text.data() + at + 1, text.data() + at + 3, byte, 16);
            at += 2;
        }
        all += static_cast<char>(byte);
    }
    return all;
}

}  // namespace

ended run_command(const std::string& line) {
    auto* const pipe = ::popen((line + " 2>&1").c_str(), "re");
    if (pipe == nullptr) throw std::runtime_error{"no pipe for " + line};
    ended all;
    std::array<char, 4096> room{};
    while (const auto count = std::fread(room.data(), 1, room.size(), pipe)) {
        all.said.append(room.data(), count);
    }
    const int status = ::pclose(pipe);
    all.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return all;
}

restored::~restored() {
    for (int tries = 0; !back_.empty(); ++tries) {
        try {
            now();
        } catch (const std::runtime_error& why) {
            // What was set would stay for every later test.
            if (tries == 2) std::terminate();
            std::fprintf(stderr, "%s\n", why.what());
        }
    }
}

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    if (value == nullptr) {
        throw std::runtime_error{std::string{name} +
                                 " is not set: these tests are run by scripts/live.sh"};
    }
    return value;
}

std::string server_url() { return environment("WAYBILL_RABBITMQ"); }

std::string server_url(std::uint16_t port) { return at_port(server_url(), port); }

std::string at_port(std::string url, std::uint16_t port) {
    const auto end = url.rfind('/');
    const auto begin = url.rfind(':', end) + 1;
    return url.replace(begin, end - begin, std::to_string(port));
}

login_words login_of_server() {
    const auto url = server_url();
    const auto begin = url.find("://") + 3;
    const auto colon = url.find(':', begin);
    const auto at = url.find('@', colon);
    return {decoded(url.substr(begin, colon - begin)),
            decoded(url.substr(colon + 1, at - colon - 1)),
            decoded(url.substr(url.find('/', at) + 1))};
}

std::uint16_t server_port() {
    return static_cast<std::uint16_t>(std::stoi(environment("WAYBILL_RABBITMQ_PORT")));
}

version server_version() {
    std::istringstream text{environment("WAYBILL_RABBITMQ_VERSION")};
    version read;
    char dot = 0;
    text >> read.major >> dot >> read.minor;
    return read;
}

std::string ctl(const std::string& arguments) {
    return run(environment("WAYBILL_RABBITMQ_CTL") + " -q " + arguments);
}

std::string control(const std::string& arguments) {
    return run(environment("WAYBILL_RABBITMQ_CONTROL") + ' ' + arguments);
}

std::size_t log_size() { return std::filesystem::file_size(environment("WAYBILL_RABBITMQ_LOG")); }

std::string log_since(std::size_t from) {
    std::ifstream file{environment("WAYBILL_RABBITMQ_LOG")};
    file.seekg(static_cast<std::streamoff>(from));
    return {std::istreambuf_iterator<char>{file}, {}};
}

bool eventually(const std::function<bool()>& holds, std::chrono::milliseconds at_most) {
    const auto end = std::chrono::steady_clock::now() + at_most;
    while (!holds()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return true;
}

}  // namespace live
