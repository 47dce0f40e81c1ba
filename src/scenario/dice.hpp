/// Chance that is the same everywhere: splitmix64, and nothing of the standard library's whose
/// results differ between libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace waybill::scenario {

class dice {
public:
    explicit dice(std::uint64_t seed) noexcept : state_{seed} {}
    /// Those of one run of many: no two runs of a seed have the same.
    dice(std::uint64_t seed, std::uint64_t run) noexcept : state_{dice{seed}.roll()} {
        state_ ^= dice{run}.roll();
    }

    std::uint64_t roll() noexcept {
        state_ += 0x9e3779b97f4a7c15U;
        auto mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        return mixed ^ (mixed >> 31U);
    }
    /// 0 to `count` - 1; `count` is small and not 0.
    std::uint64_t below(std::uint64_t count) noexcept { return roll() % count; }
    /// `lowest` to `highest`, both included.
    std::int64_t between(std::int64_t lowest, std::int64_t highest) noexcept {
        return lowest +
               static_cast<std::int64_t>(below(static_cast<std::uint64_t>(highest - lowest) + 1));
    }
    /// True in so many cases of a hundred.
    bool chance(std::uint64_t percent) noexcept { return below(100) < percent; }
    /// One of these, each as likely as the next. Not empty.
    template <class T>
    T one_of(std::initializer_list<T> all) noexcept {
        return *(all.begin() + below(all.size()));
    }
    template <class Range>
    auto& of(Range& all) noexcept {
        return *(std::begin(all) + static_cast<std::ptrdiff_t>(below(std::size(all))));
    }

private:
    std::uint64_t state_;
};

}  // namespace waybill::scenario
