/// How long a codec takes for a message, beside other libraries, on this machine and in one run.
///
///     bench_codecs [rounds]
///
/// All read and write the same bytes and the same structs, whose strings and vectors keep their
/// room where the library lets them; each does so as it does by default, which for RapidJSON and
/// msgpack-c means that text is not checked for UTF-8. "To its DOM" stops at the library's own
/// tree; the others fill the struct. The libraries take turns in short rounds of processor time, so
/// that other programs disturb little, and a figure is the median of its rounds.
#include "codecs/rows.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <tuple>

namespace bench {
namespace {

constexpr double round_seconds = 0.001;

double processor_seconds() {
    timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

/// A row and the nanoseconds a message took in each round.
struct measured {
    row of;
    std::size_t count = 1;
    std::vector<double> rounds;

    double run() {
        const double start = processor_seconds();
        of.work(count);
        return processor_seconds() - start;
    }
    /// Finds how many messages fill a round.
    void warm_up() {
        while (run() < round_seconds) count *= 2;
    }
    double median() {
        const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
        std::nth_element(rounds.begin(), middle, rounds.end());
        return *middle;
    }
};

/// JSON first, small messages first.
using job = std::tuple<std::size_t, std::size_t, std::string>;
job job_of(const row& one) {
    return {std::string_view{"json cbor msgpack"}.find(one.format),
            payload_of(one.format, one.size).size(), one.direction};
}

/// The rows of a job, in the order in which they were added.
using table = std::multimap<job, measured>;

table all_rows() {
    rows all;
    add_waybill(all);
    add_nlohmann(all);
    add_rapidjson(all);
    add_libcbor(all);
    add_msgpack_c(all);
    table sorted;
    for (row& one : all) {
        job of = job_of(one);
        sorted.emplace(std::move(of), measured{.of = std::move(one), .count = 1, .rounds = {}});
    }
    return sorted;
}

/// Waybill's row, where there is one, is the first of its job.
void print(table& all) {
    std::printf("%-8s %5s  %-7s %-26s %10s %11s\n", "format", "bytes", "", "", "ns/message",
                "x Waybill's");
    job last;
    double of_waybill = 0;
    for (auto& [job, one] : all) {
        const double median = one.median();
        if (job != last) of_waybill = one.of.library == "Waybill" ? median : 0;
        last = job;
        std::printf("%-8s %5zu  %-7s %-26s %10.0f", one.of.format.c_str(), std::get<1>(job),
                    one.of.direction.c_str(), one.of.library.c_str(), median);
        if (of_waybill > 0) std::printf(" %11.2f", median / of_waybill);
        std::puts("");
    }
}

}  // namespace

void fail_row(const row& wrong) {
    std::fprintf(stderr, "%s does not %s the %s message of %s.\n", wrong.library.c_str(),
                 wrong.direction.c_str(), wrong.size.c_str(), wrong.format.c_str());
    std::exit(1);
}

}  // namespace bench

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 101;
    auto all = bench::all_rows();
    for (auto& [job, one] : all) one.warm_up();
    for (int round = 0; round < rounds; ++round) {
        for (auto& [job, one] : all)
            one.rounds.push_back(one.run() * 1e9 / static_cast<double>(one.count));
    }
    bench::print(all);
}
