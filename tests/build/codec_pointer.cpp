// expect: described_type<int*>
// expect: waybill: this type cannot be read or written: use a number, bool, std::string, enum,
// expect: or a plain struct of these, or specialise waybill::scalar for it
#include <waybill/codec.hpp>

struct message {
    int id = 0;
    int* cents = nullptr;
};

const auto& about = waybill::value_type_of<message>();
