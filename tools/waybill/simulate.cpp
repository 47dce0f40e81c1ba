#include "simulate.hpp"

#include "exit_code.hpp"
#include "input.hpp"
#include "refusal.hpp"
#include "scenario/expect.hpp"
#include "scenario/live/runner.hpp"
#include "scenario/read.hpp"
#include "scenario/runner.hpp"
#include "scenario/text.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace waybill::tool {
namespace {

using namespace waybill::scenario;

/// Lines of JSON on standard output, in large pieces.
class json_lines {
public:
    ~json_lines() { flush(); }
    void operator()(const json::value& line) {
        json::write(line, pending_);
        pending_ += '\n';
        constexpr std::size_t piece = 1 << 16;
        if (pending_.size() >= piece) flush();
    }

private:
    void flush() {
        std::fwrite(pending_.data(), 1, pending_.size(), stdout);
        std::fflush(stdout);
        pending_.clear();
    }
    std::string pending_;
};

void say(const std::string& sentence) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", harmless(sentence).c_str());
}

bool is_part_of(const std::string& text, const error& problem) {
    return problem.what.find(text) != std::string::npos ||
           problem.fix.find(text) != std::string::npos ||
           problem.where.find(text) != std::string::npos;
}

int judge_refusal(const std::optional<expectation>& wanted, const std::vector<error>& problems) {
    if (!wanted || !wanted->refused) return problems.empty() ? as_expected : refused;
    const bool is_so = std::ranges::any_of(
        problems, [&](const auto& each) { return is_part_of(*wanted->refused, each); });
    if (is_so) return as_expected;
    say("expect.refused: no problem of the service says \"" + *wanted->refused + "\"" +
        (problems.empty() ? "; it was not refused" : ""));
    return not_as_expected;
}

int judge(const waybill::scenario::scenario& told, const result& came, const trace_match& lines) {
    if (!came.problems.empty() || (told.expect && told.expect->refused)) {
        return judge_refusal(told.expect, came.problems);
    }
    for (const auto& each : came.lost) say("lost: " + each);
    for (const auto& each : came.invented) say("invented: " + each);
    for (const auto& each : came.broken) say("broken: " + each);
    if (!came.lost.empty() || !came.invented.empty() || !came.broken.empty()) {
        return not_as_expected;
    }
    if (!came.gave_up.empty()) {
        say("refused: " + came.gave_up);
        return refused;
    }
    if (!told.expect) return as_expected;
    const auto difference = first_difference(*told.expect, came, lines);
    if (difference.empty()) return as_expected;
    say("expect." + difference);
    return not_as_expected;
}

/// The service is this very program, which `main` lets serve.
live_options live_options_of(const simulate_options& how) {
    live_options made;
    made.url = how.live;
    made.control = how.control;
    made.discards = how.discards;
    made.program = "/proc/self/exe";
    made.arguments = {std::string{serve_verb}};
    made.remark = say;
    return made;
}

}  // namespace

int simulate(const simulate_options& how) {
    const auto text = read_input(how.file, most_bytes);
    if (!text) {
        say(text.error());
        return refused;
    }
    std::unique_ptr<text_table> table;
    json_lines lines;
    trace::sink to = [&](const json::value& line) { lines(line); };
    if (how.text) {
        table = std::make_unique<text_table>(stdout, wants_colour(stdout));
        to = [&](const json::value& line) { table->see(line); };
    }
    auto told = read(*text);
    if (!told) return refuse(told.error(), how.text);
    const std::vector<json::value> nothing;
    trace_match wanted{told->expect ? told->expect->trace : nothing};
    if (table) table->begin(*told);
    const auto see = [&](const json::value& line) {
        wanted.see(line);
        to(line);
    };
    const auto came =
        how.live.empty() ? play(*told, see) : play_live(*told, *text, live_options_of(how), see);
    return judge(*told, came, wanted);
}

}  // namespace waybill::tool
