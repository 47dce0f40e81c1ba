/// What a consumed and acked message costs the whole process, counted: for callgrind.
#include "exact/meter.hpp"
#include "rabbitmq/consumed.hpp"

namespace bench {

void add_exact_cases(rabbitmq_cases& cases) {
    cases["exact.waybill"] = [](const run_options& how) {
        meter reads;
        consume_by_waybill(how, reads);
        reads.report();
    };
    cases["exact.loop"] = [](const run_options& how) {
        meter reads;
        consume_by_loop(how, reads);
        reads.report();
    };
}

}  // namespace bench
