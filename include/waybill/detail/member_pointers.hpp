/// Takes an aggregate apart: the addresses of its members, in order, without a macro.
///
/// C++23 has no structured binding of unknown length, so there is one branch for each.
#pragma once

#include <cstddef>
#include <tuple>

namespace waybill::detail {

/// The most fields a message type may have.
inline constexpr std::size_t max_fields = 32;

template <class... Members>
constexpr auto addresses(Members&... members) noexcept {
    return std::tuple<Members*...>{&members...};
}

/// A bit-field has no address: then nothing is returned.
#define WAYBILL_RETURN_ADDRESSES(...) \
    if constexpr (requires { addresses(__VA_ARGS__); }) return addresses(__VA_ARGS__)

/// Pointers to the `Count` members of `object`. Reads nothing of the object itself. Without a
/// result when a member of an `object` that is not const is a bit-field.
template <std::size_t Count, class T>
constexpr auto member_pointers([[maybe_unused]] T& object) noexcept {
    // clang-format off
    if constexpr (Count == 0) { return std::tuple<>{}; }
    else if constexpr (Count == 1) {
        auto& [m0] = object;
        WAYBILL_RETURN_ADDRESSES(m0);
    }
    else if constexpr (Count == 2) {
        auto& [m0, m1] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1);
    }
    else if constexpr (Count == 3) {
        auto& [m0, m1, m2] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2);
    }
    else if constexpr (Count == 4) {
        auto& [m0, m1, m2, m3] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3);
    }
    else if constexpr (Count == 5) {
        auto& [m0, m1, m2, m3, m4] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4);
    }
    else if constexpr (Count == 6) {
        auto& [m0, m1, m2, m3, m4, m5] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5);
    }
    else if constexpr (Count == 7) {
        auto& [m0, m1, m2, m3, m4, m5, m6] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6);
    }
    else if constexpr (Count == 8) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7);
    }
    else if constexpr (Count == 9) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8);
    }
    else if constexpr (Count == 10) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9);
    }
    else if constexpr (Count == 11) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10);
    }
    else if constexpr (Count == 12) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11);
    }
    else if constexpr (Count == 13) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12);
    }
    else if constexpr (Count == 14) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13);
    }
    else if constexpr (Count == 15) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14);
    }
    else if constexpr (Count == 16) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] =
               object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15);
    }
    else if constexpr (Count == 17) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16]
               = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16);
    }
    else if constexpr (Count == 18) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17);
    }
    else if constexpr (Count == 19) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18);
    }
    else if constexpr (Count == 20) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19);
    }
    else if constexpr (Count == 21) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20);
    }
    else if constexpr (Count == 22) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20, m21] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20, m21);
    }
    else if constexpr (Count == 23) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20, m21, m22] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20, m21, m22);
    }
    else if constexpr (Count == 24) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20, m21, m22, m23] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23);
    }
    else if constexpr (Count == 25) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20, m21, m22, m23, m24] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24);
    }
    else if constexpr (Count == 26) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20, m21, m22, m23, m24, m25] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25);
    }
    else if constexpr (Count == 27) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20, m21, m22, m23, m24, m25, m26] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26);
    }
    else if constexpr (Count == 28) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26,
                         m27);
    }
    else if constexpr (Count == 29) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27,
                         m28);
    }
    else if constexpr (Count == 30) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27,
                         m28, m29);
    }
    else if constexpr (Count == 31) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30] = object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27,
                         m28, m29, m30);
    }
    else if constexpr (Count == 32) {
        auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16,
               m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31] =
               object;
        WAYBILL_RETURN_ADDRESSES(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
                         m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27,
                         m28, m29, m30, m31);
    }
    // clang-format on
}

#undef WAYBILL_RETURN_ADDRESSES

}  // namespace waybill::detail
