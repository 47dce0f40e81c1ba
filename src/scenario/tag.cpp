#include "scenario/tag.hpp"

#include <waybill/headers.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace waybill::scenario::tag {
namespace {

constexpr std::string_view name = "waybill-sim-id";

/// All tags are of one size, so that the last header is found from behind.
const std::vector<std::byte>& sample() {
    static const auto packed = [] {
        headers one;
        one.append(name, std::uint64_t{0});
        return std::vector(one.packed().begin(), one.packed().end());
    }();
    return packed;
}

constexpr std::size_t number_size = sizeof(std::uint64_t);

bool is_tagged(std::span<const std::byte> packed) noexcept {
    const auto& like = sample();
    if (packed.size() < like.size()) return false;
    const auto tail = packed.last(like.size());
    return std::ranges::equal(tail.first(like.size() - number_size),
                              std::span{like}.first(like.size() - number_size));
}

constexpr unsigned run_at = 32;

std::optional<std::uint64_t> whole_of(std::span<const std::byte> packed) noexcept {
    if (!is_tagged(packed)) {
        const auto elsewhere = headers::borrow(packed).find(name);
        return elsewhere ? elsewhere->unsigned_integer() : std::nullopt;
    }
    std::uint64_t all = 0;
    std::memcpy(&all, packed.last(number_size).data(), number_size);
    return all;
}

}  // namespace

std::vector<std::byte> onto(std::span<const std::byte> packed, run_number run, std::uint64_t id) {
    headers one;
    one.append(name, std::uint64_t{run} << run_at | id);
    std::vector<std::byte> tagged;
    tagged.reserve(packed.size() + one.packed().size());
    tagged.assign(packed.begin(), packed.end());
    tagged.insert(tagged.end(), one.packed().begin(), one.packed().end());
    return tagged;
}

std::optional<std::uint64_t> of(std::span<const std::byte> packed, run_number run) noexcept {
    const auto all = whole_of(packed);
    if (!all || *all >> run_at != run) return std::nullopt;
    return *all - (std::uint64_t{run} << run_at);
}

bool is_of_another(std::span<const std::byte> packed, run_number run) noexcept {
    const auto all = whole_of(packed);
    return all && *all >> run_at != run;
}

std::span<const std::byte> without(std::span<const std::byte> packed,
                                   std::vector<std::byte>& room) {
    if (is_tagged(packed)) return packed.first(packed.size() - sample().size());
    if (!headers::borrow(packed).contains(name)) return packed;
    auto left = headers::copy_of(packed);
    left.remove(name);
    room.assign(left.packed().begin(), left.packed().end());
    return room;
}

}  // namespace waybill::scenario::tag
