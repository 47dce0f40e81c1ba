// expect: waybill: two alternatives of a std::variant have the same name on the wire: give one a
// expect: name in waybill::message_traits, or wrap it in a struct
#include <waybill/codec.hpp>

namespace card {
struct paid {
    int id = 0;
};
}  // namespace card
namespace cash {
struct paid {
    int id = 0;
};
}  // namespace cash

struct message {
    std::variant<card::paid, cash::paid> event;
};

const auto& about = waybill::value_type_of<message>();
