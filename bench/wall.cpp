/// Rates and times on this machine, by the clock on the wall: for a look, never for a gate. Exact
/// costs are in exact.cpp.
#include "wall/sections.hpp"

int main() {
    bench::measure_rates();
    bench::measure_hand_over();
    bench::measure_latency();
    bench::measure_lateness();
}
