// expect: waybill: a message must be copyable and assignable, as the next one is read into the
// expect: same object: no const members
#include <waybill/codec.hpp>

#include <memory>

struct message {
    int id = 0;
    std::unique_ptr<int> cents;
};

const auto& about = waybill::value_type_of<message>();
