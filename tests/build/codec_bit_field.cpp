// expect: reflected_type<message>
// expect: waybill: a message cannot have a bit-field as a member: use bool or std::uint8_t
#include <waybill/codec.hpp>

struct message {
    int id = 0;
    unsigned urgent : 1 = 0;
};

const auto& about = waybill::value_type_of<message>();
