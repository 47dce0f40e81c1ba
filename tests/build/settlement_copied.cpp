// expect: waybill::settlement::settlement(const waybill::settlement&)
// clang: call to implicitly-deleted copy constructor of 'waybill::settlement'
#include <waybill/settlement.hpp>

void keep(waybill::settlement s) {
    auto copy = s;
    std::move(copy).ack();
}
