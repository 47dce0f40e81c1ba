#include "wiring/check.hpp"
#include <waybill/run_main.hpp>

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <map>
#include <optional>

namespace waybill {
namespace {

const std::map<std::string, log_level> levels = {{"debug", log_level::debug},
                                                 {"info", log_level::info},
                                                 {"warning", log_level::warning},
                                                 {"error", log_level::error},
                                                 {"off", log_level::off}};
const std::map<std::string, log_format> formats = {{"text", log_format::text},
                                                   {"json", log_format::json}};

int check(const app& service) {
    const auto problems = service.check();
    if (problems.empty()) {
        std::cout << service.name() << ' ' << service.version() << ": the wiring is sound.\n";
        return 0;
    }
    std::cerr << service.name() << ' ' << service.version() << ": the wiring is wrong.\n";
    return wiring::report(problems);
}

/// As sysexits.h: the command line is wrong. Not 2, which says that the wiring is.
constexpr int wrong_usage = 64;

/// An option that takes one of the words of `meanings`, in any case; `words` names them for people.
template <class Value>
void add_choice(CLI::App& to, const std::string& option,
                const std::map<std::string, Value>& meanings, const std::string& words,
                std::optional<Value>& chosen) {
    const auto choose = [option, &meanings, words, &chosen](const std::string& word) {
        const auto found = meanings.find(CLI::detail::to_lower(word));
        if (found == meanings.end())
            throw CLI::ValidationError(option + " is " + words + ", not \"" + word + "\".");
        chosen = found->second;
    };
    to.add_option_function<std::string>(option, choose, words)->type_name("WORD");
}

int run_verb(const std::function<app()>& make_app, int argc, char** argv) {
    auto service = make_app();
    CLI::App line{service.name() + ' ' + service.version()};
    line.require_subcommand(0, 1);
    line.set_version_flag("--version", service.name() + ' ' + service.version());
    std::optional<log_level> level;
    std::optional<log_format> format;
    const auto add_log_options = [&](CLI::App& to) {
        add_choice(to, "--log-level", levels, "debug, info, warning, error or off", level);
        add_choice(to, "--log-format", formats, "text or json", format);
    };
    auto* run = line.add_subcommand("run", "Run the service until SIGTERM or SIGINT (the default)");
    add_log_options(line);
    add_log_options(*run);
    auto* checks =
        line.add_subcommand("check", "Find what is wrong with the wiring; no connection");
    auto* describes = line.add_subcommand("describe", "Say what is declared and what it comes to");
    bool as_json = false;
    describes->add_flag("--json", as_json, "As one JSON object");
    try {
        line.parse(argc, argv);
    } catch (const CLI::ParseError& given) {
        return line.exit(given) == 0 ? 0 : wrong_usage;
    }

    if (checks->parsed()) return check(service);
    if (describes->parsed()) {
        std::cout << (as_json ? service.describe_json() + '\n' : service.describe());
        return 0;
    }
    if (level) service.log_level(*level);
    if (format) service.log_format(*format);
    return service.run();
}

}  // namespace

int run_main(const std::function<app()>& make_app, int argc, char** argv) {
    try {
        return run_verb(make_app, argc, argv);
    } catch (const std::exception& thrown) {
        std::cerr << "The service could not be made or run: " << thrown.what() << '\n';
    } catch (...) {
        std::cerr << "The service could not be made or run: what was thrown is not a "
                     "std::exception.\n";
    }
    return 1;
}

}  // namespace waybill
