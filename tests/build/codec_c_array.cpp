// expect: waybill: a message cannot have a C array as a member: use std::vector
#include <waybill/codec.hpp>

struct message {
    int id = 0;
    int parts[4] = {};
    int cents = 0;
};

const auto& about = waybill::value_type_of<message>();
