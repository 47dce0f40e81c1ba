/// What bench_exact_run can run. A case handles so many messages (or timers) and has the meter
/// count what it costs; scripts/bench_exact.py runs it with N and with 2N.
#pragma once

#include "exact/meter.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace bench {

/// Messages are handled in rounds of so many, and counts are multiples of it.
inline constexpr std::size_t round_length = 1000;

/// By name.
using case_table = std::map<std::string, std::function<void(std::size_t, meter&)>, std::less<>>;

/// memory.<publish|raw|json_28|json_1k|json_1k_two_fields|reply>: what is handled at once.
void add_good_path_cases(case_table& cases);
/// memory.<retry|retry_after|dead_letter> and copies.dead_letter: what comes again.
void add_failure_cases(case_table& cases);
/// memory.json_28_lane: the production threads.
void add_lane_cases(case_table& cases);
/// timers.<arm|expire>_<constant|random>_<10k|1m>: the wheel alone.
void add_timer_cases(case_table& cases);
/// timers.bytes_28 and so on: the memory of what waits.
void add_waiting_cases(case_table& cases);
/// codec.<name>_<decode|encode>_<28|1k>: a codec alone, into and from one object.
void add_codec_cases(case_table& cases);

}  // namespace bench
