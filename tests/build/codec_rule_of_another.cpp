// expect: ruled_type<message>
// expect: waybill: message_traits<T>::fields is a std::tuple of renamed, defaulted and left_out
// expect: with members of T itself
#include <waybill/codec.hpp>

struct other {
    int id = 0;
};
struct message {
    int id = 0;
};

template <>
struct waybill::message_traits<message> {
    static constexpr auto fields = std::tuple{waybill::renamed(&other::id, "number")};
};

const auto& about = waybill::value_type_of<message>();
