// expect: waybill: a single std::byte has no wire form: use std::uint8_t, or
// expect: std::vector<std::byte> for bytes
#include <waybill/codec.hpp>

#include <cstddef>

struct message {
    int id = 0;
    std::byte flags{};
};

const auto& about = waybill::value_type_of<message>();
