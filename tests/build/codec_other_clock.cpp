// expect: waybill: only time points of std::chrono::system_clock have a wire form: others mean
// expect: nothing in another process
#include <waybill/codec.hpp>

struct message {
    std::chrono::steady_clock::time_point at;
};

const auto& about = waybill::value_type_of<message>();
