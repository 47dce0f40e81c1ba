// expect: reflected_type<std::pair<int, int>
// expect: waybill: this type cannot be read or written: a message is a plain struct without
// expect: constructors, private members or virtual functions
#include <waybill/codec.hpp>

struct message {
    std::pair<int, int> size;
};

const auto& about = waybill::value_type_of<message>();
