// expect: waybill: a scalar's value on the wire has at most 64 bytes
#include <waybill/codec.hpp>

#include <array>
#include <vector>

class digest {};

template <>
struct waybill::scalar<digest> {
    static std::vector<std::byte> to_wire(const digest&);
    static digest from_wire(const std::array<std::byte, 128>&);
};

const auto& about = waybill::value_type_of<digest>();
