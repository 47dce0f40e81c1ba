#include "random.hpp"

#include "exit_code.hpp"
#include "scenario/kit.hpp"
#include "scenario/random.hpp"
#include "scenario/read.hpp"
#include "scenario/runner.hpp"
#include "scenario/shrink.hpp"
#include "scenario/terminal.hpp"
#include "scenario/text.hpp"
#include "scenario/trial.hpp"
#include "scenario/write.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <thread>

namespace waybill::tool {
namespace {

using namespace waybill::scenario;

/// One line on a terminal that says how far the runs are; nothing elsewhere.
class progress {
public:
    explicit progress(std::uint64_t of) : of_{of}, is_shown_{isatty(STDERR_FILENO) != 0} {}
    ~progress() { wipe(); }
    void done(std::uint64_t runs) {
        constexpr std::uint64_t step = 100;
        if (is_shown_ && runs % step == 0) {
            std::fprintf(stderr, "\r%llu of %llu runs", static_cast<unsigned long long>(runs),
                         static_cast<unsigned long long>(of_));
        }
    }
    void shrinking() {
        wipe();
        if (is_shown_) std::fputs("a fault was found; looking for the smallest file", stderr);
    }

private:
    void wipe() {
        if (is_shown_) std::fputs("\r\033[K", stderr);
    }
    std::uint64_t of_;
    bool is_shown_;
};

struct found_fault {
    std::uint64_t run = 0;
    fault what;
};

/// The runs, each independent, over the threads; the first fault ends them.
class search {
public:
    search(const random_options& how, std::uint64_t runs, progress& shown)
        : how_{how}, shown_{shown}, first_bad_{runs} {}

    void go() {
        constexpr std::size_t most_threads = 2;
        std::array<std::thread, most_threads> threads;
        for (auto& each : threads) each = std::thread{[this] { work(); }};
        for (auto& each : threads) each.join();
    }
    [[nodiscard]] const std::optional<found_fault>& found() const noexcept { return found_; }
    [[nodiscard]] const exercise& tried() const noexcept { return tried_; }

private:
    void work() {
        exercise mine;
        // A run before the first bad one is always played, so that the lowest is found.
        for (auto run = next_++; run < first_bad_; run = next_++) {
            if (const auto wrong = try_out(make_up(how_.seed, run, how_.transport), mine)) {
                note(run, *wrong);
            }
            shown_.done(++done_);
        }
        const std::lock_guard lock{mutex_};
        tried_.add(mine);
    }
    void note(std::uint64_t run, const fault& what) {
        const std::lock_guard lock{mutex_};
        if (run >= first_bad_) return;
        first_bad_ = run;
        found_ = found_fault{run, what};
    }

    const random_options& how_;
    progress& shown_;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::uint64_t> first_bad_;
    std::mutex mutex_;
    std::optional<found_fault> found_;
    exercise tried_;
};

void say_well(const random_options& how, const exercise& tried) {
    std::printf("%llu runs of %s from seed %llu: nothing lost, nothing invented, no law broken.",
                static_cast<unsigned long long>(tried.runs), how.transport.c_str(),
                static_cast<unsigned long long>(how.seed));
    const char* before = " There were";
    for (const auto& [name, count] : tried.events) {
        std::printf("%s %llu %s", before, static_cast<unsigned long long>(count), name.c_str());
        before = ",";
    }
    std::puts(".");
}

/// The smallest file with a fault of this kind.
json::value smallest(const random_options& how, const found_fault& found) {
    const auto is_still_so = [&](const json::value& file) {
        const auto told = read(json::to_text(file));
        exercise unused;
        const auto wrong = told ? try_out(*told, unused) : std::nullopt;
        return wrong && wrong->what == found.what.what;
    };
    return shrink(write(make_up(how.seed, found.run, how.transport)), is_still_so);
}

int report(const random_options& how, const found_fault& found, progress& shown) {
    shown.shrinking();
    const auto text = to_pretty_text(smallest(how, found));
    const auto file =
        "waybill-random-" + std::to_string(how.seed) + '-' + std::to_string(found.run) + ".json";
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    const bool is_written = static_cast<bool>(std::ofstream{file} << text << std::flush);
    std::fprintf(stderr, "%s in run %llu: %s\n", std::string{name_of(found.what.what)}.c_str(),
                 static_cast<unsigned long long>(found.run), found.what.sentence.c_str());
    if (is_written) {
        std::fprintf(stderr, "the smallest scenario that shows it: ./%s\n", file.c_str());
    } else {
        std::fprintf(stderr, "./%s could not be written\n", file.c_str());
    }
    return not_as_expected;
}

void print_trace(const random_options& how) {
    const auto told = make_up(how.seed, 0, how.transport);
    if (!how.text) {
        (void)play(told, [](const json::value& line) { std::puts(json::to_text(line).c_str()); });
        return;
    }
    text_table table{stdout, wants_colour(stdout)};
    table.begin(told);
    (void)play(told, [&](const json::value& line) { table.see(line); });
}

}  // namespace

int simulate_random(const random_options& how) {
    if (kit_for(how.transport) == nullptr) {
        std::fprintf(stderr, "--transport %s: there is no such transport; there is: %s\n",
                     how.transport.c_str(), transports_in_words().c_str());
        return refused;
    }
    const auto runs = how.runs.value_or(1);
    progress shown{runs};
    search all{how, runs, shown};
    all.go();
    if (all.found()) return report(how, *all.found(), shown);
    how.runs ? say_well(how, all.tried()) : print_trace(how);
    return as_expected;
}

}  // namespace waybill::tool
