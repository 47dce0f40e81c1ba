// expect: reflected_type<message>
// expect: waybill: a message cannot have a volatile member
#include <waybill/codec.hpp>

struct message {
    int id = 0;
    volatile int cents = 0;
};

const auto& about = waybill::value_type_of<message>();
