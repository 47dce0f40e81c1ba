// expect: ruled_type<message>
// expect: waybill: a field's name on the wire has no quotes, backslashes and control characters
#include <waybill/codec.hpp>

struct message {
    int id = 0;
};

template <>
struct waybill::message_traits<message> {
    static constexpr auto fields = std::tuple{waybill::renamed(&message::id, "the \"id\"")};
};

const auto& about = waybill::value_type_of<message>();
