// Faults that users of other clients reported: field tables of RabbitMQ whose lengths lie.
#include "heap_peak.hpp"
#include "transport/rabbitmq/fields.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

using namespace std::string_literals;
using namespace std::string_view_literals;

namespace rabbitmq_fields_reports {

using waybill::byte_buffer;
namespace rabbitmq = waybill::rabbitmq;
using reads = bool (*)(std::span<const std::byte>, byte_buffer&);

std::string length_of(std::size_t size) {
    std::string four;
    for (const auto shift : {24U, 16U, 8U, 0U}) four += static_cast<char>(size >> shift);
    return four;
}

/// In memory that ends where the bytes do, with little memory and in little time.
void check_refused(reads read, std::string_view text) {
    const auto exact = std::make_unique<std::byte[]>(text.size());
    std::memcpy(exact.get(), text.data(), text.size());
    const std::span<const std::byte> bytes{exact.get(), text.size()};
    byte_buffer packed;
    const auto began = std::chrono::steady_clock::now();
    bool is_read = true;
    const auto peak = support::heap_peak([&] { is_read = read(bytes, packed); });
    CHECK_FALSE(is_read);
    CHECK(peak < 1'000'000);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds{1});
}

/// Tables or arrays in each other, `depth` of them, the innermost with this in it.
std::string nested(std::size_t depth, char kind, std::string inner) {
    for (std::size_t at = 0; at < depth; ++at) {
        auto head = kind == 'F' ? "\1aF"s : "A"s;
        inner = head + length_of(inner.size()) + inner;
    }
    return inner;
}

TEST_CASE("B124: a length behind which there is less is refused, at every place") {
    // A header table of 10 bytes with 2 left, alone and in a content header.
    check_refused(rabbitmq::read_table, "\1aF\0\0\0\12\1b"sv);
    check_refused(rabbitmq::read_properties, "\x20\0\0\0\0\12\1b"sv);
    for (const auto& lie :
         {"\xFF\xFF\xFF\xFF"s, "\x80\0\0\0"s, "\x7F\xFF\xFF\xFF"s, length_of(3)}) {
        for (const auto* kind : {"A", "F", "S", "x"}) {
            check_refused(rabbitmq::read_table, "\1a"s + kind + lie + "V");
            check_refused(rabbitmq::read_array, kind + lie + "V");
        }
        check_refused(rabbitmq::read_properties, "\x20\0"s + lie + "\1b");
    }
    check_refused(rabbitmq::read_table, "\xFFname"sv);
    check_refused(rabbitmq::read_properties, "\x80\0\xFFtext"sv);
}

TEST_CASE("B124: a depth of 10,000 is read in bounded time, and a lie at its end is found") {
    for (const char kind : {'F', 'A'}) {
        const auto read = kind == 'F' ? rabbitmq::read_table : rabbitmq::read_array;
        const auto deep = nested(10'000, kind, "");
        byte_buffer packed;
        CHECK(read(std::as_bytes(std::span{deep}), packed));
        check_refused(read, nested(10'000, kind, kind == 'F' ? "\1bF\0\0\0\1"s : "A\0\0\0\1"s));
        // Each says that it holds more than what is there.
        std::string all;
        for (int at = 0; at < 10'000; ++at) {
            all += (kind == 'F' ? "\1aF"s : "A"s) + length_of(100'000);
        }
        check_refused(read, all);
    }
}

}  // namespace rabbitmq_fields_reports
