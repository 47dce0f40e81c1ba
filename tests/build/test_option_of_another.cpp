// expect: waybill: what a test_app takes beside the app is made by waybill::with_state or
// expect: test_option<till>
#include <waybill/testing.hpp>

struct till {
    int cents = 0;
};

void use(waybill::app app) { waybill::test_app tb{std::move(app), till{5}}; }
