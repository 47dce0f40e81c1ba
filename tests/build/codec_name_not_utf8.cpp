// expect: waybill: a field's name on the wire is UTF-8
#include <waybill/codec.hpp>

struct message {
    int id = 0;
};

template <>
struct waybill::message_traits<message> {
    static constexpr auto fields = std::tuple{waybill::renamed(&message::id, "caf\xe9")};
};

const auto& about = waybill::value_type_of<message>();
