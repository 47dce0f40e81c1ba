// expect: waybill: a message cannot have a reference as a member: hold a value
#include <waybill/codec.hpp>

struct message {
    int id;
    int& cents;
};

const auto& about = waybill::value_type_of<message>();
