// expect: waybill: T has members that view the payload, and the copy that is read here ends with
// expect: this call: give it std::string and std::vector<std::byte>, or call the codec's own decode
#include <waybill/codec.hpp>

struct message {
    std::string_view customer;
};

auto read(std::span<const std::byte> payload) {
    return waybill::decode<message>(waybill::codecs::json(), payload);
}
