#include "tests/program.hpp"
#include "tests/terminal.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

using demo::run_demo;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view whole_ledger =
    "40 in = 29 charged + 5 declined + 5 dead + 1 undecodable, lost 0\n";
const std::string requests = "examples/payments/requests.jsonl";

/// A file that is gone at the end of the test.
class input_file {
public:
    explicit input_file(std::string_view bytes) {
        std::string name = (std::filesystem::temp_directory_path() / "waybill-XXXXXX").string();
        const int made = ::mkstemp(name.data());
        ::close(made);
        name_ = name;
        std::ofstream{name_, std::ios::binary} << bytes;
    }
    ~input_file() { std::filesystem::remove(name_); }
    input_file(const input_file&) = delete;
    input_file& operator=(const input_file&) = delete;
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    std::string name_;
};

demo::what_came run_virtual(std::string_view bytes) {
    const input_file input{bytes};
    return run_demo({.arguments = {"--input", input.name(), "--clock", "virtual"}});
}

std::vector<std::string> rows_of(const std::string& out) {
    std::vector<std::string> rows;
    std::istringstream lines{out};
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) rows.push_back(line);
    }
    return rows;
}

bool contains(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("the checked-in requests give their ledger") {
    demo::how_to_run how{.arguments = {"--input", requests}};
    SUBCASE("on a virtual clock, in under a second") {
        how.arguments.insert(how.arguments.end(), {"--clock", "virtual"});
    }
    SUBCASE("in real threads, hurried") {
        how.arguments.insert(how.arguments.end(), {"--speed", "20"});
    }
    SUBCASE("in a window") {
        how.arguments.insert(how.arguments.end(), {"--speed=20"});
        how.environment["NO_COLOR"] = "1";
        how.window = winsize{24, 80, 0, 0};
    }
    const auto came = run_demo(how);
    CHECK(came.exit_code == 0);
    CHECK(came.problems.empty());
    auto out = came.out;
    std::erase(out, '\r');
    CHECK(contains(out, whole_ledger));
    CHECK(contains(out, "waybill-dead-reason"));
    CHECK(contains(out, "Try next"));
    if (!how.window) {
        CHECK(rows_of(out).size() == 40);
        CHECK(contains(out, "\n#1017 busy 1 s busy 1 s charged "));
        CHECK_FALSE(contains(out, "\x1b"));
    }
}

TEST_CASE("two runs on a virtual clock are alike") {
    const demo::how_to_run how{.arguments = {"--clock", "virtual"}};
    const auto first = run_demo(how);
    CHECK(first.exit_code == 0);
    CHECK(first.out == run_demo(how).out);
    CHECK(first.took < 10s);
}

TEST_CASE("an input that cannot be used is a sentence and exit code 2") {
    demo::how_to_run how;
    std::string_view says;
    SUBCASE("missing") {
        how.arguments = {"--input", "no/such/file"};
        says = "no/such/file: the input cannot be read (No such file or directory)";
    }
    SUBCASE("a folder") {
        how.arguments = {"--input", "examples"};
        says = "examples: the input cannot be read (Is a directory)";
    }
    SUBCASE("no name") {
        how.arguments = {"--input", ""};
        says = "--input needs the name of a file";
    }
    SUBCASE("no speed") {
        how.arguments = {"--speed", "fast"};
        says = "--speed is a number from 0.01 to 1000, not \"fast\"";
    }
    SUBCASE("speed 0") {
        how.arguments = {"--speed=0"};
        says = "--speed is a number from 0.01 to 1000, not \"0\"";
    }
    SUBCASE("no clock") {
        how.arguments = {"--clock", "sundial"};
        says = "--clock is real or virtual, not \"sundial\"";
    }
    SUBCASE("no option") {
        how.arguments = {"--what"};
        says = "there is no option \"--what\"";
    }
    const auto came = run_demo(how);
    CHECK(came.exit_code == 2);
    CHECK(contains(came.problems, says));
    CHECK(came.out.empty());
}

TEST_CASE("an unknown answer is refused before anything is published") {
    const auto came = run_virtual(R"({"order":1,"customer":"c","lines":[]})"
                                  "\n"
                                  R"({"order":2,"customer":"c","lines":[],"provider":["bussy"]})");
    CHECK(came.exit_code == 2);
    CHECK(contains(came.problems, ", line 2: the provider cannot answer \"bussy\""));
    CHECK(came.out.empty());
}

TEST_CASE("an empty input balances") {
    for (const auto* bytes : {"", "\n\r\n  \n"}) {
        const auto came = run_virtual(bytes);
        CHECK(came.exit_code == 0);
        CHECK(contains(came.out, "There is no line in it, so there is nothing to charge."));
        CHECK(
            contains(came.out, "0 in = 0 charged + 0 declined + 0 dead + 0 undecodable, lost 0\n"));
    }
}

TEST_CASE("lines of every kind balance") {
    std::string bytes = "\xef\xbb\xbf";
    bytes += R"({"order":18446744073709551615,"customer":"c","lines":[]})"
             "\r\n\r\n";
    bytes += R"({"order":1,"customer":"c","lines":[],"provider":["busy","declined"]})"
             "\r\n";
    bytes += R"({"order":1,"customer":"c","lines":[],"provider":["busy","ok"]})"
             "\n";
    bytes += R"({"order":1,"customer":"c","lines":[],"provider":["unavailable"]})"
             "\n";
    bytes += "\xff\xfe not UTF-8\n";
    bytes += R"({"order":2,"customer":")" + std::string(1'000'000, 'x') +
             R"(","lines":[]})"
             "\n";
    bytes += std::string(1'000'000, 'y') + "\n";
    bytes += R"({"order":0,"customer":"no line end","lines":[]})";
    const auto came = run_virtual(bytes);
    CHECK(came.exit_code == 0);
    CHECK(contains(came.out, "8 in = 4 charged + 1 declined + 1 dead + 2 undecodable, lost 0\n"));
    CHECK(contains(came.out, "#18446744073709551615 charged "));
    CHECK(contains(came.out, " busy 1 s declined "));
}

TEST_CASE("ten thousand lines balance") {
    std::string bytes;
    for (int at = 0; at < 10'000; ++at) {
        constexpr std::array scripts{R"(["ok"])", R"(["busy","ok"])", R"(["unavailable"])",
                                     R"(["declined"])"};
        bytes += R"({"order":)" + std::to_string(at) + R"(,"customer":"c","lines":[],"provider":)" +
                 scripts[static_cast<std::size_t>(at) % scripts.size()] + "}\n";
    }
    const input_file input{bytes};
    const auto came = run_demo({.arguments = {"--input", input.name(), "--speed", "20"}});
    CHECK(came.exit_code == 0);
    CHECK(rows_of(came.out).size() == 10'000);
    CHECK(contains(
        came.out, "10000 in = 5000 charged + 2500 declined + 2500 dead + 0 undecodable, lost 0\n"));
}

TEST_CASE("an interruption ends in good order") {
    const auto came = run_demo(
        {.arguments = {"--input", requests, "--speed", "0.05"}, .interrupt_at = "#1002 charged"});
    CHECK(came.exit_code == 130);
    CHECK(came.took < 60s);
    CHECK(contains(came.out, "Interrupted: what is waiting stays in the broker.\n"));
    CHECK(contains(came.out, " charged + 0 declined + 0 dead + 0 undecodable"));
    CHECK(contains(came.out, ", lost 0\n"));
}

TEST_CASE("what is waiting when it is interrupted is not lost") {
    const auto came = run_demo(
        {.arguments = {"--input", requests, "--speed", "0.5"}, .interrupt_at = "#1007 charged"});
    CHECK(came.exit_code == 130);
    CHECK(contains(came.out, " waiting, lost 0\n"));
}

TEST_CASE("a reader that goes away ends the demo without a word") {
    const auto came =
        run_demo({.arguments = {"--input", requests, "--speed", "0.05"}, .close_after = 1});
    CHECK(came.exit_code == 1);
    CHECK(came.problems.empty());
    CHECK(came.took < 60s);
}

TEST_CASE("an output that is full ends the demo with 1, also when nobody can be told") {
    const auto status =
        std::system((demo::demo_program() + " --clock virtual >/dev/full 2>&-").c_str());
    CHECK(WEXITSTATUS(status) == 1);
}

TEST_CASE("an output that is full is said") {
    const auto came = run_demo({.arguments = {"--clock", "virtual"}, .output_file = "/dev/full"});
    CHECK(came.exit_code == 1);
    CHECK(contains(came.problems, "the output cannot be written (No space left on device)"));
}

TEST_CASE("on a terminal every message keeps one row, in a window of any size") {
    struct size {
        unsigned short columns;
        unsigned short rows;
    };
    for (const auto& [columns, rows] :
         {size{80, 24}, size{200, 100}, size{132, 10}, size{40, 5}, size{20, 3}, size{80, 1}}) {
        CAPTURE(columns);
        CAPTURE(rows);
        const auto came = run_demo({.arguments = {"--speed", "20"},
                                    .environment = {},
                                    .window = winsize{rows, columns, 0, 0}});
        CHECK(came.exit_code == 0);
        demo::terminal seen{columns, rows};
        seen.write(came.out);
        CHECK(seen.cursor_is_shown());
        CHECK(seen.colours() > 40);
        CHECK_FALSE(seen.is_garbled());
        const auto lines = seen.lines();
        const auto is_row = [](const std::string& line) {
            return line.starts_with("✔ #") || line.starts_with("⊘ #") || line.starts_with("✖ #") ||
                   line.starts_with("? #");
        };
        CHECK(std::ranges::count_if(lines, is_row) == 40);
        CHECK(std::ranges::none_of(lines, [](const auto& line) { return contains(line, "▰"); }));
    }
}

TEST_CASE("colours are left out where they are not wanted") {
    demo::how_to_run how{.arguments = {"--speed", "20"}, .window = winsize{24, 80, 0, 0}};
    SUBCASE("NO_COLOR") {
        how.environment["NO_COLOR"] = "1";
        const auto came = run_demo(how);
        demo::terminal seen{80, 24};
        seen.write(came.out);
        CHECK(seen.colours() == 0);
        CHECK(seen.cursor_is_shown());
        CHECK(contains(came.out, "\x1b["));
    }
    SUBCASE("a dumb terminal") {
        how.environment["TERM"] = "dumb";
        CHECK_FALSE(contains(run_demo(how).out, "\x1b"));
    }
    SUBCASE("not a terminal") {
        how.window.reset();
        CHECK_FALSE(contains(run_demo(how).out, "\x1b"));
    }
}

TEST_CASE("COLUMNS makes rows narrower than the window") {
    const auto came = run_demo({.arguments = {"--speed", "20"},
                                .environment = {{"COLUMNS", "40"}, {"NO_COLOR", "1"}},
                                .window = winsize{50, 120, 0, 0}});
    demo::terminal seen{120, 50};
    seen.write(came.out);
    for (const auto& line : seen.lines()) {
        if (!line.starts_with("✔ #")) continue;
        CHECK(std::ranges::count_if(line, [](char each) { return (each & 0xc0) != 0x80; }) < 40);
    }
}

TEST_CASE("a console without the marks gets plain ones") {
    demo::how_to_run how{.arguments = {"--speed", "20"}, .window = winsize{24, 80, 0, 0}};
    how.environment["NO_COLOR"] = "1";
    SUBCASE("the one of Linux") { how.environment["TERM"] = "linux"; }
    SUBCASE("one of another character set") { how.environment["LC_ALL"] = "C.ISO-8859-1"; }
    const auto out = run_demo(how).out;
    CHECK(contains(out, "+ #1001"));
    CHECK(std::ranges::none_of(out, [](char each) { return (each & 0x80) != 0; }));
}
