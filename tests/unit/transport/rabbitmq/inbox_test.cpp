#include "transport/rabbitmq/io/inbox.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace mq_inbox_test {

using namespace waybill::rabbitmq::io;
using state = frame_at_front::state;
using waybill::byte_buffer;

constexpr std::size_t agreed = 4096;

/// A frame of that many bytes in all.
byte_buffer frame_of(std::size_t size, std::uint16_t channel = 1) {
    byte_buffer made;
    {
        const frame_writer writer{made, frame_kind::header, channel};
        const auto payload = size - frame_overhead;
        std::fill_n(made.extend(payload), payload, std::byte{0x5A});
    }
    return made;
}

/// Puts in as much as there is room for; says how much.
std::size_t fill(inbox& into, std::span<const std::byte> bytes) {
    const auto room = into.room();
    const auto count = std::min(room.size(), bytes.size());
    std::ranges::copy(bytes.first(count), room.begin());
    into.filled(count);
    return count;
}

TEST_CASE(
    "a frame longer than was agreed upon is read, by as much as a server adds, and no longer") {
    for (const auto& [size, is] : {std::pair{agreed, state::whole},
                                   {agreed + 60, state::whole},
                                   {agreed + added_by_servers, state::whole},
                                   {agreed + added_by_servers + 1, state::malformed}}) {
        CAPTURE(size);
        inbox in{agreed};
        const auto bytes = frame_of(size);
        std::span<const std::byte> rest = bytes.bytes();
        auto front = in.take();
        while (front.is == state::partial && !rest.empty()) {
            const auto count = fill(in, rest);
            REQUIRE(count != 0);
            rest = rest.subspan(count);
            front = in.take();
        }
        CHECK(front.is == is);
        if (is == state::whole) CHECK(front.what.payload.size() == size - frame_overhead);
    }
}

TEST_CASE(
    "frames of any size in pieces of any size come whole and in order, and there is always room") {
    std::minstd_rand random{7};
    byte_buffer all;
    std::vector<std::size_t> sizes;
    for (std::uint16_t channel = 1; channel <= 200; ++channel) {
        const auto most = random() % 10 == 0 ? agreed + added_by_servers : agreed;
        sizes.push_back(frame_overhead + random() % (most - frame_overhead + 1));
        const auto made = frame_of(sizes.back(), channel);
        all.append(made.bytes().data(), made.size());
    }
    inbox in{agreed};
    std::span<const std::byte> rest = all.bytes();
    std::size_t next = 0;
    while (next < sizes.size()) {
        auto front = in.take();
        for (; front.is == state::whole; front = in.take()) {
            CHECK(front.size == sizes[next++]);
            CHECK(front.what.channel == next);
        }
        REQUIRE(front.is == state::partial);
        const auto count =
            fill(in, rest.first(std::min<std::size_t>(rest.size(), 1 + random() % 9000)));
        REQUIRE((count != 0 || rest.empty()));
        rest = rest.subspan(count);
        if (rest.empty() && count == 0) break;
    }
    CHECK(next == sizes.size());
}

}  // namespace mq_inbox_test
