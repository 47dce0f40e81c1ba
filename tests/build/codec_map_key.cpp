// expect: waybill: the keys of a map are std::string: use one, or a std::vector of a struct with
// expect: the key and the value
#include <waybill/codec.hpp>

struct message {
    std::map<int, int> stock;
};

const auto& about = waybill::value_type_of<message>();
