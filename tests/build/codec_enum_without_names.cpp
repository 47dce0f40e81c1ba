// expect: waybill: no enumerator was found, so that no value has a name: specialise
// expect: waybill::enumerator_range for the values that there are
#include <waybill/codec.hpp>

enum class big { first = 1000, second = 2000 };

struct message {
    int id = 0;
    big size{};
};

const auto& about = waybill::value_type_of<message>();
