// expect: waybill: a time needs a unit: 30s or 250ms, with using namespace std::chrono_literals
// expect: delay_without_unit<int>
#include <waybill/outcome.hpp>

waybill::outcome later() { return waybill::retry_after(30); }
