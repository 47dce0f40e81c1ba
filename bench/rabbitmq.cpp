/// One run of one case against a real server; scripts/bench_rabbitmq.py starts it, alternates the
/// runs and makes the table. The cases are in rabbitmq/.
#include "rabbitmq/cases.hpp"

#include <charconv>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string_view>

namespace {

bench::rabbitmq_cases all_cases() {
    bench::rabbitmq_cases cases;
    bench::add_consume_cases(cases);
    bench::add_exact_cases(cases);
    bench::add_publish_cases(cases);
    bench::add_retry_cases(cases);
    bench::add_waiting_cases(cases);
    return cases;
}

int misused(const bench::rabbitmq_cases& cases) {
    std::cerr
        << "usage: bench_rabbitmq --case NAME --n COUNT [--quorum] [--lanes COUNT] [--prefetch "
           "COUNT]\nThe server is that of WAYBILL_RABBITMQ_GUEST (scripts/live.sh). NAME is one "
           "of\n";
    for (const auto& [name, run] : cases) std::cerr << "  " << name << '\n';
    return 2;
}

bool read_count(std::string_view word, std::size_t& to) {
    const auto read = std::from_chars(word.data(), word.data() + word.size(), to);
    return read.ec == std::errc{} && read.ptr == word.data() + word.size() && to > 0;
}

}  // namespace

int main(int argc, char** argv) {
    const auto cases = all_cases();
    bench::run_options how;
    std::string_view name;
    for (int at = 1; at < argc; ++at) {
        const std::string_view option = argv[at];
        if (option == "--quorum") {
            how.kind = bench::queue_kind::quorum;
            continue;
        }
        if (++at == argc) return misused(cases);
        bool ok = true;
        if (option == "--case") {
            name = argv[at];
        } else if (option == "--n") {
            ok = read_count(argv[at], how.count);
        } else if (option == "--lanes") {
            ok = read_count(argv[at], how.lanes);
        } else if (option == "--prefetch") {
            ok = read_count(argv[at], how.prefetch);
        } else {
            ok = false;
        }
        if (!ok) return misused(cases);
    }
    const auto found = cases.find(name);
    const char* url = std::getenv("WAYBILL_RABBITMQ_GUEST");
    if (found == cases.end() || how.count == 0 || url == nullptr) return misused(cases);
    how.url = url;
    found->second(how);
    return 0;
}
