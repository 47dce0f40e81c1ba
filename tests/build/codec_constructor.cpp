// expect: waybill: this type cannot be read or written: a message is a plain struct without
// expect: constructors, private members or virtual functions
#include <waybill/codec.hpp>

struct message {
    explicit message(int first) : id(first) {}
    int id;
};

const auto& about = waybill::value_type_of<message>();
