/// Messages that are consumed and acked one by one.
#include "rabbitmq/consumed.hpp"
#include "rabbitmq/measured.hpp"

namespace bench {

void add_consume_cases(rabbitmq_cases& cases) {
    cases["consume.waybill"] = [](const run_options& how) {
        stopwatch times;
        consume_by_waybill(how, times);
        times.report(how.count);
    };
    cases["consume.loop"] = [](const run_options& how) {
        stopwatch times;
        consume_by_loop(how, times);
        times.report(how.count);
    };
}

}  // namespace bench
