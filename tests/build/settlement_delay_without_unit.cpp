// expect: waybill: a time needs a unit: 30s or 250ms, with using namespace std::chrono_literals
#include <waybill/settlement.hpp>

void later(waybill::settlement s) { std::move(s).retry_after(30); }
