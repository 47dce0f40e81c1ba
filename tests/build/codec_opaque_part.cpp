// expect: waybill: an opaque type is the whole message and cannot be a part of one: specialise
// expect: waybill::scalar for it
#include <waybill/codec.hpp>

class picture {
public:
    picture() = default;
};

template <>
struct waybill::message_traits<picture> {
    static constexpr bool is_opaque = true;
};

struct message {
    int id = 0;
    picture front;
};

const auto& about = waybill::value_type_of<message>();
