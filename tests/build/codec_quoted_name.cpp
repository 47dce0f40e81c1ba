// expect: ruled_type<message>
// expect: waybill: a field's name on the wire is UTF-8 without quotes, backslashes and control
#include <waybill/codec.hpp>

struct message {
    int id = 0;
};

template <>
struct waybill::message_traits<message> {
    static constexpr auto fields = std::tuple{waybill::renamed(&message::id, "the \"id\"")};
};

const auto& about = waybill::value_type_of<message>();
