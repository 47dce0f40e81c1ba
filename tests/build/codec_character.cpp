// expect: waybill: a character type is neither text nor a number on the wire: use std::string or
// expect: std::int8_t / std::uint8_t
#include <waybill/codec.hpp>

struct message {
    int id = 0;
    char grade = 0;
};

const auto& about = waybill::value_type_of<message>();
