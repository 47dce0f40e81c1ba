// expect: waybill: a message must be copyable and assignable, as the next one is read into the
// expect: same object: no const members
#include <waybill/codec.hpp>

struct message {
    int id = 0;
    const int cents = 0;
};

const auto& about = waybill::value_type_of<message>();
