/// Frames for the proxy's tests, built here and not by what they test.
#pragma once

#include <cstdint>
#include <string>

namespace faults::test {

inline const std::string protocol_header{"AMQP\0\0\x09\x01", 8};

inline std::string big_endian(std::uint32_t number, int width) {
    std::string bytes;
    while (width-- > 0) bytes += static_cast<char>(number >> (8 * width) & 0xFF);
    return bytes;
}

inline std::string frame(int type, std::uint16_t channel, const std::string& payload) {
    return big_endian(static_cast<std::uint32_t>(type), 1) + big_endian(channel, 2) +
           big_endian(static_cast<std::uint32_t>(payload.size()), 4) + payload + '\xCE';
}

inline std::string method(std::uint16_t class_id, std::uint16_t method_id, std::uint16_t channel,
                          const std::string& arguments) {
    return frame(1, channel, big_endian(class_id, 2) + big_endian(method_id, 2) + arguments);
}

inline std::string publish(const std::string& body) {
    return method(60, 40, 1, "") + frame(2, 1, "properties") + frame(3, 1, body);
}

}  // namespace faults::test
