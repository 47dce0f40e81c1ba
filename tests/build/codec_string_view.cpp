// expect: waybill: this type cannot be read or written: a message is a plain struct without
// expect: constructors
#include <waybill/codec.hpp>

#include <string_view>

struct message {
    int id = 0;
    std::string_view customer;
};

const auto& about = waybill::value_type_of<message>();
