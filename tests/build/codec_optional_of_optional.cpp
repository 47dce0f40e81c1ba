// expect: waybill: an optional inside of an optional would be null on the wire either way: use one,
// expect: or a std::variant
#include <waybill/codec.hpp>

struct message {
    std::optional<std::optional<int>> cents;
};

const auto& about = waybill::value_type_of<message>();
