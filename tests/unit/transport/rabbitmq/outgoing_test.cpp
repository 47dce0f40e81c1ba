// What the protocol can hold is measured as it stands on the wire.
#include "transport/rabbitmq/outgoing.hpp"

#include "transport/rabbitmq/fields.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace mq_outgoing_test {

using namespace waybill::rabbitmq;

constexpr std::uint32_t frame_max = 4096;

/// The size of the frame that it takes with so many small headers and one of so many bytes; nothing
/// where it is not taken.
std::optional<std::size_t> frame_of(int small_ones, std::size_t large_one) {
    waybill::headers all{{"text", std::string(large_one, 'x')}};
    for (int each = 0; each < small_ones; ++each) all.append("h" + std::to_string(each), true);
    waybill::outgoing_view message;
    message.packed_headers = all.packed();
    publish made;
    if (!fill_message(made, {"", "orders"}, message, std::chrono::nanoseconds{0},
                      {"", frame_max})) {
        return std::nullopt;
    }
    waybill::byte_buffer properties;
    REQUIRE(write_properties(made.view().packed_headers, properties));
    constexpr std::size_t class_weight_and_size = 12;
    constexpr std::size_t head_and_end = 8;
    return properties.size() + class_weight_and_size + head_and_end;
}

TEST_CASE("headers are refused by what they take on the wire, to the byte") {
    for (const int small_ones : {0, 10, 400}) {
        CAPTURE(small_ones);
        const auto least = frame_of(small_ones, 0);
        REQUIRE(least);
        const auto left = frame_max - *least;
        CHECK(frame_of(small_ones, left) == frame_max);
        CHECK_FALSE(frame_of(small_ones, left + 1));
    }
    CHECK_FALSE(frame_of(1000, 0));
}

}  // namespace mq_outgoing_test
