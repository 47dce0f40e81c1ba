// expect: waybill: a message cannot have a base class: make the base a member
#include <waybill/codec.hpp>

struct common {
    int id = 0;
};

struct message : common {
    int cents = 0;
};

const auto& about = waybill::value_type_of<message>();
