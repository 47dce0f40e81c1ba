#include "transport/rabbitmq/waits.hpp"

#include "transport/rabbitmq/data.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace waybill::rabbitmq {
namespace {

constexpr std::string_view prefix = "waybill.wait.v1.";

/// The distance of the grid's points at this delay: its second digit, but 100 ms at least.
constexpr milliseconds step_at(milliseconds delay) noexcept {
    milliseconds step = shortest_stretch;
    while (delay >= step * 100) step *= 10;
    return step;
}

/// FNV-1a: stable for ever, as the names of queues that outlive the service are made of it.
constexpr std::uint64_t hash_of(std::string_view text, std::uint64_t from) noexcept {
    for (const char letter : text) {
        from = (from ^ static_cast<unsigned char>(letter)) * 0x0000'0100'0000'01b3ULL;
    }
    return from;
}

std::string in_hexadecimal(std::uint64_t number) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(16, '0');
    for (auto at = text.rbegin(); at != text.rend(); ++at, number >>= 4U)
        *at = digits[number & 15U];
    return text;
}

}  // namespace

stretch first_stretch(std::chrono::nanoseconds delay, std::span<const milliseconds> constants) {
    const bool is_constant = std::ranges::any_of(
        constants, [&](auto each) { return each == delay && each <= longest_stretch; });
    const auto whole = std::chrono::floor<milliseconds>(delay);
    auto first = std::min(whole, longest_stretch);
    if (first < shortest_stretch) return {milliseconds{0}, delay};
    if (!is_constant && first != longest_stretch) first -= first % step_at(first);
    return {first, delay - first};
}

std::vector<milliseconds> whole_grid() {
    std::vector<milliseconds> all;
    for (auto at = shortest_stretch; at <= longest_stretch; at += step_at(at)) all.push_back(at);
    if (all.back() != longest_stretch) all.push_back(longest_stretch);
    return all;
}

// A classic queue hands on at most once, whatever its messages go to: what comes due while the
// server stops, or has not written down yet what it handed on when it is killed, is gone.
queue_type type_of_waits(const queue_spec& origin) noexcept {
    const bool stays = origin.durable && !origin.exclusive && !origin.auto_delete;
    return stays ? queue_type::quorum : queue_type::classic;
}

std::string waiting_queue_name(milliseconds span, queue_type type, std::string_view vhost,
                               std::string_view origin) {
    constexpr std::uint64_t offset = 0xcbf2'9ce4'8422'2325ULL;
    constexpr std::string_view between{"\0", 1};
    const auto hash = hash_of(origin, hash_of(between, hash_of(vhost, offset)));
    std::string name{prefix};
    name += std::to_string(span.count());
    name += '.';
    name += name_of(type);
    name += '.';
    return name += in_hexadecimal(hash);
}

queue_spec waiting_queue(milliseconds span, queue_type type, std::string_view vhost,
                         const target& back_to) {
    queue_spec made;
    const auto origin = write_address(back_to.exchange, back_to.key);
    made.name = waiting_queue_name(span, type, vhost, origin);
    auto& with = made.arguments;
    const bool is_quorum = type == queue_type::quorum;
    with.append("x-queue-type", name_of(type));
    with.append("x-message-ttl", std::int64_t{span.count()});
    with.append("x-dead-letter-exchange", back_to.exchange);
    with.append("x-dead-letter-routing-key", back_to.key);
    if (is_quorum) {
        // What has waited stays here until the origin has confirmed it. It never expires as a
        // queue: that would take its messages along.
        with.append("x-dead-letter-strategy", "at-least-once");
        with.append("x-overflow", "reject-publish");
    } else {
        // Longer than anything waits in it since it was last declared.
        const auto unused = 2 * span + milliseconds{std::chrono::minutes{10}};
        with.append("x-expires", std::int64_t{unused.count()});
    }
    return made;
}

}  // namespace waybill::rabbitmq
