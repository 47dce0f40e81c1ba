/// Exact costs: runs one case with callgrind's instrumentation round the measured section
/// (scripts/bench_exact.py does the arithmetic). The cases are in exact/.
#include "codec/json_kernel.hpp"
#include "exact/cases.hpp"

#include <gnu/libc-version.h>
#include <simdjson.h>

#include <charconv>
#include <iostream>
#include <string_view>
#include <vector>

namespace {

bench::case_table all_cases() {
    bench::case_table cases;
    bench::add_good_path_cases(cases);
    bench::add_failure_cases(cases);
    bench::add_lane_cases(cases);
    bench::add_timer_cases(cases);
    bench::add_waiting_cases(cases);
    bench::add_codec_cases(cases);
    return cases;
}

/// What figures depend on beside the code.
void print_platform() {
    std::cout << "kernel " << waybill::codecs::json_kernel() << "\ncompiler " << __VERSION__
              << "\nsimdjson " << SIMDJSON_STRINGIFY(SIMDJSON_VERSION) << "\nlibc "
              << gnu_get_libc_version() << '\n';
}

int misused(const bench::case_table& cases) {
    std::cerr << "usage: bench_exact_run --platform | --case NAME --n COUNT, where COUNT is a "
                 "multiple of "
              << bench::round_length << " and NAME is one of\n";
    for (const auto& [name, run] : cases) std::cerr << "  " << name << '\n';
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string_view> words{argv + 1, argv + argc};
    if (words.size() == 1 && words[0] == "--platform") {
        print_platform();
        return 0;
    }
    const bench::case_table cases = all_cases();
    if (words.size() != 4 || words[0] != "--case" || words[2] != "--n") return misused(cases);
    std::size_t count = 0;
    std::from_chars(words[3].data(), words[3].data() + words[3].size(), count);
    const auto found = cases.find(words[1]);
    if (found == cases.end() || count == 0 || count % bench::round_length != 0) {
        return misused(cases);
    }
    bench::meter reads;
    found->second(count, reads);
    reads.report();
    return 0;
}
