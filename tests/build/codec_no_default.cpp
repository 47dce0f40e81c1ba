// expect: waybill: a message must be made by T{}: give every member a default
#include <waybill/codec.hpp>

struct amount {
    amount() = delete;
    amount(int cents) : cents(cents) {}
    int cents;
};

struct message {
    int id = 0;
    amount total;
};

const auto& about = waybill::value_type_of<message>();
