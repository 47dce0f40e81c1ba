#include "demo/closing.hpp"
#include "demo/input.hpp"
#include "demo/screen.hpp"
#include "demo/show.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

namespace demo {
namespace {

constexpr int unbalanced = 1;
constexpr int bad_usage = 2;

constexpr std::string_view usage =
    "demo [--input FILE] [--speed NUMBER] [--clock real|virtual]\n"
    "  --input   requests, one JSON object a line (examples/payments/requests.jsonl)\n"
    "  --speed   how many times faster than life, 0.01 to 1000 (1)\n"
    "  --clock   virtual: time passes by hand, without threads (real)\n";

struct options {
    std::string input = "examples/payments/requests.jsonl";
    bool is_default_input = true;
    pace at;
};

/// Not by fmt::print, which throws when standard error is closed.
void complain(std::string_view sentence) {
    std::fprintf(stderr, "demo: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
}

bool read_option(options& into, std::string_view name, std::string_view value) {
    if (name == "--input") {
        into.input = value;
        into.is_default_input = false;
        if (!value.empty()) return true;
        complain("--input needs the name of a file.");
    } else if (name == "--speed") {
        const auto [end, problem] =
            std::from_chars(value.data(), value.data() + value.size(), into.at.speed);
        const bool is_number = problem == std::errc{} && end == value.data() + value.size();
        if (is_number && into.at.speed >= 0.01 && into.at.speed <= 1000) return true;
        complain(fmt::format("--speed is a number from 0.01 to 1000, not \"{}\".",
                             printable(value, 40)));
    } else if (name == "--clock") {
        into.at.is_virtual = value == "virtual";
        if (value == "virtual" || value == "real") return true;
        complain(fmt::format("--clock is real or virtual, not \"{}\".", printable(value, 40)));
    } else {
        complain(fmt::format("there is no option \"{}\".\n{}", printable(name, 40), usage));
    }
    return false;
}

std::optional<options> read_options(int argc, char** argv) {
    options found;
    for (int at = 1; at < argc; ++at) {
        const std::string_view name = argv[at];
        const auto equals = name.starts_with("--") ? name.find('=') : std::string_view::npos;
        std::string_view value;
        if (equals != std::string_view::npos) {
            value = name.substr(equals + 1);
        } else if (at + 1 < argc) {
            value = argv[++at];
        }
        if (!read_option(found, name.substr(0, equals), value)) return std::nullopt;
    }
    return found;
}

/// The requests that come with the source, also when the demo is started from another folder.
std::string default_input(const std::string& here) {
    std::error_code ignored;
    if (std::filesystem::exists(here, ignored)) return here;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const auto there = program.parent_path().parent_path().parent_path() / here;
    return std::filesystem::exists(there, ignored) ? there.string() : here;
}

std::atomic<int> interrupted{0};

/// The first signal ends the run in good order, a second at once.
void catch_signal(int number) {
    if (interrupted.exchange(number) == 0) return;
    constexpr std::string_view cursor = "\x1b[?25h\n";
    if (::isatty(STDOUT_FILENO) == 1) {
        [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, cursor.data(), cursor.size());
    }
    ::_exit(128 + number);
}

void catch_signals() {
    struct sigaction how{};
    how.sa_handler = catch_signal;
    ::sigaction(SIGINT, &how, nullptr);
    ::sigaction(SIGTERM, &how, nullptr);
    // A reader that goes away is seen by the write that fails.
    how.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &how, nullptr);
}

void complain_all(const std::vector<waybill::error>& problems) {
    constexpr std::size_t enough = 10;
    for (std::size_t at = 0; at < std::min(problems.size(), enough); ++at) {
        complain(problems[at].message());
    }
    if (problems.size() > enough) complain(fmt::format("and {} more.", problems.size() - enough));
}

int exit_code(const show_result& of, const screen& on) {
    if (interrupted != 0) return 128 + interrupted;
    if (on.failure() != 0) {
        if (on.failure() != EPIPE) {
            complain(
                fmt::format("the output cannot be written ({}).", std::strerror(on.failure())));
        }
        return unbalanced;
    }
    return of.counted.balances() ? 0 : unbalanced;
}

int run(const options& with) {
    const auto input = with.is_default_input ? default_input(with.input) : with.input;
    const auto lines = read_input(input);
    if (!lines) {
        complain_all(lines.error());
        return bad_usage;
    }
    catch_signals();
    // The service's own log would run into the rows.
    spdlog::set_default_logger(spdlog::null_logger_mt("demo"));
    screen on{STDOUT_FILENO};
    say_opening(on, with.input, lines->size(), with.at);
    if (lines->empty()) on.say("There is no line in it, so there is nothing to charge.");
    const auto result = run_show(*lines, with.at, on, interrupted);
    if (!result.problem.empty()) {
        complain(result.problem);
        return unbalanced;
    }
    if (interrupted != 0) on.say("Interrupted: what is waiting stays in the broker.");
    say_ledger(on, result);
    if (result.dead_letter) say_dead_letter(on, *result.dead_letter);
    if (interrupted == 0) say_next(on);
    return exit_code(result, on);
}

}  // namespace
}  // namespace demo

int main(int argc, char** argv) {
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "--help" || first == "-h") {
        fmt::print("{}", demo::usage);
        return 0;
    }
    try {
        const auto options = demo::read_options(argc, argv);
        return options ? demo::run(*options) : demo::bad_usage;
    } catch (const std::exception& thrown) {
        demo::complain(thrown.what());
        return demo::unbalanced;
    }
}
