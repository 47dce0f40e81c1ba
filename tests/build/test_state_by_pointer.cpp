// expect: waybill: with_state takes the state, a std::shared_ptr to it, or std::ref of one that outlives
#include <waybill/testing.hpp>

struct till {
    int cents = 0;
};

void use(waybill::app app, till* fake) {
    waybill::test_app tb{std::move(app), waybill::with_state(fake)};
}
