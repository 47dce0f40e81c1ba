// expect: waybill: an unscoped enum needs a fixed type (enum e : int) to be read by name
#include <waybill/codec.hpp>

enum state { open, shut };

struct message {
    int id = 0;
    state now = open;
};

const auto& about = waybill::value_type_of<message>();
