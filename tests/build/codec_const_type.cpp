// expect: waybill: a message cannot have a const member: the next message is read into
// expect: the same object
#include <waybill/codec.hpp>

struct message {
    int id = 0;
};

const auto& about = waybill::value_type_of<const message>();
