#include "exit_code.hpp"
#include "explain.hpp"
#include "queues.hpp"
#include "random.hpp"
#include "scenario/live/serve.hpp"
#include "scenario/terminal.hpp"
#include "simulate.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

namespace {

using namespace waybill::tool;

struct options {
    simulate_options file;
    random_options chance;
    explain_options explained;
    queues_options queues;
};

/// CLI11 takes "-1" for a very large number. `unit` says what is counted, as " of seconds".
CLI::Validator whole_number_of(const std::string& unit) {
    return {[unit](const std::string& text) -> std::string {
                std::uint64_t number = 0;
                const auto* const end = text.data() + text.size();
                const auto [behind, fault] = std::from_chars(text.data(), end, number);
                if (fault == std::errc{} && behind == end && !text.empty()) return {};
                return "\"" + text + "\" is no whole number" +
                       (unit.empty() ? " from 0 to 18446744073709551615" : unit);
            },
            "NUMBER"};
}

const CLI::Validator whole_number = whole_number_of("");

/// What looks like no URL is shown only where it can hold no password.
const CLI::Validator url_of_server{
    [](const std::string& text) -> std::string {
        if (text.find("://") != std::string::npos) return {};
        const bool is_plain = text.find_first_of("@:") == std::string::npos;
        return (is_plain ? "\"" + text + "\" is no URL" : std::string{"this is no URL"}) +
               ", as in amqp://localhost; it stands before the queues";
    },
    "URL"};

void add_simulate(CLI::App& app, options& how, int& status) {
    auto* verb = app.add_subcommand("simulate", "plays a scenario file and prints the trace");
    auto* file = verb->add_option("FILE", how.file.file, "the scenario; - reads standard input");
    verb->add_flag("--text", how.file.text, "a table for people in the place of JSON lines");
    auto* live =
        verb->add_option("--live", how.file.live, "runs it against the server at this URL");
    verb->add_option("--control", how.file.control,
                     "a program that is called with \"restart\", or with \"delete\" and an address")
        ->needs(live);
    verb->add_flag("--discard", how.file.discards,
                   "the server's queues that the file names are deleted though they hold messages, "
                   "or are read")
        ->needs(live);
    auto* seed = verb->add_option("--random", how.chance.seed,
                                  "a scenario by chance from this seed in the place of a file");
    seed->excludes(file)->excludes(live)->check(whole_number);
    verb->add_option("--runs", how.chance.runs,
                     "so many by chance, to look for faults: no traces, but what was exercised")
        ->needs(seed)
        ->check(whole_number);
    verb->add_option("--transport", how.chance.transport, "what those by chance run on")
        ->needs(seed)
        ->capture_default_str();
    verb->callback([&how, &status, seed, file] {
        if (seed->count() == 0 && file->count() == 0) throw CLI::RequiredError{"FILE or --random"};
        if (how.chance.runs == 0)
            throw CLI::ValidationError{"--runs", "one run at least is needed"};
        how.chance.text = how.file.text;
        status = seed->count() != 0 ? simulate_random(how.chance) : simulate(how.file);
    });
}

void add_explain(CLI::App& app, options& how, int& status) {
    auto* verb = app.add_subcommand(
        "explain", "says what a scenario's declarations mean, without running anything");
    verb->add_option("FILE", how.explained.file, "the scenario; - reads standard input")
        ->required();
    verb->add_flag("--json", how.explained.json, "one JSON object in the place of sentences");
    verb->callback([&how, &status] { status = explain(how.explained); });
}

void add_queues(CLI::App& app, options& how, int& status) {
    auto* verb =
        app.add_subcommand("queues", "the queues of a RabbitMQ server in which retries wait");
    verb->require_subcommand(1);
    const auto add = [&](const char* name, const char* what, bool prunes) {
        auto* act = verb->add_subcommand(name, what);
        act->add_option("URL", how.queues.url, "amqp://user:password@host:5672/vhost")
            ->required()
            ->check(url_of_server);
        act->add_option("QUEUE", how.queues.origins,
                        "queues, or other addresses, that retries come back to")
            ->required();
        act->add_option("--delay", how.queues.constants,
                        "a delay of a back-off that is not on the grid, in ms")
            ->check(whole_number_of(" of milliseconds, as in 1000"));
        if (prunes) {
            act->add_option("--wait", how.queues.wait_seconds,
                            "looks again after this many seconds at most")
                ->check(whole_number_of(" of seconds, as in 60"))
                ->capture_default_str();
        }
        act->callback([&how, &status, prunes] { status = queues(how.queues, prunes); });
    };
    add("list", "shows the waiting queues of these queues", false);
    add("prune", "deletes those of them in which nothing waits", true);
}

/// A full disk must not look like a good run.
bool is_written() {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
    std::fputs("the output could not be written\n", stderr);
    return false;
}

/// The number of a descriptor; -1: it is none.
int descriptor_in(std::string_view text) {
    int number = -1;
    const auto [behind, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    return fault == std::errc{} && behind == text.data() + text.size() ? number : -1;
}

/// CLI11 would only say that a verb is missing.
bool is_known_verb_of_queues(std::string_view verb) {
    if (verb == "list" || verb == "prune" || verb.starts_with('-')) return true;
    const auto shown = waybill::scenario::harmless(verb);
    std::fprintf(stderr, "\"%s\" is none of list, prune\n", shown.c_str());
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view first = argc > 2 ? argv[1] : "";
    if (first == "queues" && !is_known_verb_of_queues(argv[2])) return refused;
    if (argc == 4 && argv[1] == serve_verb) {
        return waybill::scenario::serve(descriptor_in(argv[2]), descriptor_in(argv[3]));
    }
    CLI::App app{"Waybill: what will happen to a message."};
    app.require_subcommand(1);
    options how;
    int status = 0;
    add_simulate(app, how, status);
    add_explain(app, how, status);
    add_queues(app, how, status);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& wrong) {
        const int said = app.exit(wrong);
        return said == 0 ? as_expected : refused;
    }
    return is_written() ? status : not_as_expected;
}
