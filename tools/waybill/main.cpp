#include "simulate.hpp"

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
    CLI::App app{"Waybill: what will happen to a message."};
    app.require_subcommand(1);
    int status = 0;

    waybill::tool::simulate_options how;
    auto* simulate = app.add_subcommand("simulate", "plays a scenario file and prints the trace");
    simulate->add_option("FILE", how.file, "the scenario; - reads standard input")->required();
    simulate->add_flag("--text", how.text, "a table for people in the place of JSON lines");
    simulate->add_option("--live", how.live, "runs it against the server at this URL");
    simulate->callback([&] { status = waybill::tool::simulate(how); });

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& wrong) {
        const int said = app.exit(wrong);
        return said == 0 ? 0 : 2;
    }
    return status;
}
