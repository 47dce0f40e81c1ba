// expect: ruled_type<message>
// expect: waybill: two fields have the same name on the wire: rename one of them
#include <waybill/codec.hpp>

struct message {
    int id = 0;
    int number = 0;
};

template <>
struct waybill::message_traits<message> {
    static constexpr auto fields = std::tuple{waybill::renamed(&message::number, "id")};
};

const auto& about = waybill::value_type_of<message>();
