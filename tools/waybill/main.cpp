#include "random.hpp"
#include "simulate.hpp"

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
    CLI::App app{"Waybill: what will happen to a message."};
    app.require_subcommand(1);
    int status = 0;

    waybill::tool::simulate_options how;
    auto* simulate = app.add_subcommand("simulate", "plays a scenario file and prints the trace");
    auto* file = simulate->add_option("FILE", how.file, "the scenario; - reads standard input");
    simulate->add_flag("--text", how.text, "a table for people in the place of JSON lines");
    auto* live = simulate->add_option("--live", how.live, "runs it against the server at this URL");

    waybill::tool::random_options chance;
    auto* seed = simulate->add_option("--random", chance.seed,
                                      "a scenario by chance from this seed in the place of a file");
    seed->excludes(file)->excludes(live);
    simulate
        ->add_option("--runs", chance.runs,
                     "so many by chance, to look for faults: no traces, but what was exercised")
        ->needs(seed);
    simulate->add_option("--transport", chance.transport, "what those by chance run on")
        ->needs(seed)
        ->capture_default_str();
    simulate->callback([&] {
        if (seed->count() == 0 && file->count() == 0) throw CLI::RequiredError{"FILE or --random"};
        chance.text = how.text;
        status = seed->count() != 0 ? waybill::tool::simulate_random(chance)
                                    : waybill::tool::simulate(how);
    });

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& wrong) {
        const int said = app.exit(wrong);
        return said == 0 ? 0 : 2;
    }
    return status;
}
