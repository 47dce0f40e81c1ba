// The service's test: the only program that links the test kit.
#include "parcels.hpp"
#include <waybill/testing.hpp>

#include <iostream>

int main() {
    unsigned last = 0;
    waybill::test_app tb{parcels(waybill::memory::server{}, [&last](unsigned id) { last = id; })};
    tb.publish("parcels", parcel{.id = 8, .grams = 300});
    tb.publish("parcels", parcel{.id = 9, .grams = 40'000});
    std::cout << tb.history();
    const std::vector wanted{waybill::retry(), waybill::ack(), waybill::drop()};
    return last == 8 && tb.outcomes(weigh) == wanted ? 0 : 1;
}
