// expect: waybill: this type cannot be read or written: a message is a plain struct without
// expect: constructors, private members or virtual functions
#include <waybill/codec.hpp>

class message {
public:
    int id = 0;

private:
    [[maybe_unused]] int cents_ = 0;
};

const auto& about = waybill::value_type_of<message>();
