// expect: reflected_type<message>
// expect: waybill: a message must be copyable and assignable, as the next one is read into the
// expect: same object: no const members, no std::unique_ptr
#include <waybill/codec.hpp>

#include <memory>

struct part {
    int id = 0;
};
struct message {
    int id = 0;
    std::vector<std::unique_ptr<part>> parts;
};

const auto& about = waybill::value_type_of<message>();
