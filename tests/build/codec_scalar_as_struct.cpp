// expect: described_scalar<money>
// expect: waybill: a scalar stands on the wire as a number, bool, text or bytes
#include <waybill/codec.hpp>

struct amount {
    int cents = 0;
};
struct money {
    int cents = 0;
};

template <>
struct waybill::scalar<money> {
    static amount to_wire(money value) { return {value.cents}; }
    static money from_wire(amount value) { return {value.cents}; }
};

const auto& about = waybill::value_type_of<money>();
