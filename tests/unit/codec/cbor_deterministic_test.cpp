#include "codec/key_order.hpp"
#include "samples.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace samples;

namespace samples {

const waybill::codec& deterministic() {
    static const waybill::codec only = waybill::codecs::cbor({.deterministic = true});
    return only;
}

template <class T>
std::string to_deterministic(const T& value) {
    const auto bytes = waybill::encode(deterministic(), value);
    return bytes ? to_hex(*bytes) : bytes.error().message();
}

struct unsorted {
    int bb = 1;
    int z = 2;
    std::optional<int> ab;
    int a = 3;
    int ba = 4;
    int Z = 5;
    int a_key_of_more_than_23_bytes = 6;
    int another_key_of_just_so_many = 7;
};

struct inside {
    int zz = 0;
    unsorted y;
    std::vector<id_only> x;
};

}  // namespace samples

TEST_CASE("cbor, deterministic: a codec of its own that reads any CBOR") {
    CHECK(deterministic() == waybill::codecs::cbor({.deterministic = true}));
    CHECK(deterministic() != waybill::codecs::cbor());
    CHECK(waybill::codecs::cbor({}) == waybill::codecs::cbor());
    CHECK(deterministic()->name() == "cbor");
    CHECK(deterministic()->content_type() == "application/cbor");
    const auto usual = waybill::encode(waybill::codecs::cbor(), full_order());
    CHECK(waybill::decode<order>(deterministic(), *usual) == full_order());
    const auto sorted = waybill::encode(deterministic(), full_order());
    CHECK(waybill::decode<order>(deterministic(), *sorted) == full_order());
    CHECK(waybill::decode<order>(waybill::codecs::cbor(), *sorted) == full_order());
}

TEST_CASE("cbor, deterministic: members come in the bytewise order of their keys") {
    const std::string pairs =
        "615a05"    // Z
        "616103"    // a
        "617a02"    // z
        "62626104"  // ba
        "62626201"  // bb
        "781b615f6b65795f6f665f6d6f72655f7468616e5f32335f627974657306"
        "781b616e6f746865725f6b65795f6f665f6a7573745f736f5f6d616e7907";
    CHECK(to_deterministic(unsorted{}) == "a7" + pairs);
    CHECK(to_deterministic(unsorted{.ab = 9}) == "a8615a05616103617a0262616209" + pairs.substr(18));
    CHECK(to_deterministic(inside{.y = {}, .x = {{1}}}) ==
          "a3617881a162696401"
          "6179a7" +
              pairs + "627a7a00");
    CHECK(to_cbor(unsorted{}).starts_with("a762626201617a02616103"));
}

TEST_CASE("cbor, deterministic: the order is that of the encoded keys") {
    const std::vector<std::string> names{"",
                                         "a",
                                         "z",
                                         "aa",
                                         "zz",
                                         std::string(23, 'z'),
                                         std::string(24, 'a'),
                                         std::string(255, 'z'),
                                         std::string(256, 'a'),
                                         "\u00e9"};
    for (const auto& one : names)
        for (const auto& other : names)
            CHECK(waybill::key_before(one, other) ==
                  (from_hex(to_cbor(one)) < from_hex(to_cbor(other))));
}

TEST_CASE("cbor, deterministic: an error names its place and leaves nothing behind") {
    waybill::byte_buffer out;
    out.append("before");
    order broken;
    broken.lines = {{"\xff", 1, {}}};
    const auto failed = deterministic()->encode(waybill::value_type_of<order>(), &broken, out);
    REQUIRE(!failed);
    CHECK(failed.error().message() == "lines[0].sku: a string is not UTF-8");
    CHECK(out.size() == 6);
}

TEST_CASE("cbor, deterministic: floats as in RFC 8949 appendix A") {
    struct sample {
        std::string_view hex;
        double value;
    };
    for (const auto& [hex, value] :
         {sample{"f90000", 0.0}, sample{"f98000", -0.0}, sample{"f93c00", 1.0},
          sample{"fb3ff199999999999a", 1.1}, sample{"f93e00", 1.5}, sample{"f97bff", 65504.0},
          sample{"fa47c35000", 100000.0}, sample{"fa7f7fffff", 3.4028234663852886e+38},
          sample{"fb7e37e43c8800759c", 1.0e+300}, sample{"f90001", 5.960464477539063e-8},
          sample{"f90400", 0.00006103515625}, sample{"f9c400", -4.0},
          sample{"fbc010666666666666", -4.1},
          sample{"f97c00", std::numeric_limits<double>::infinity()},
          sample{"f9fc00", -std::numeric_limits<double>::infinity()},
          sample{"f97e00", std::numeric_limits<double>::quiet_NaN()},
          sample{"f97e00", -std::numeric_limits<double>::quiet_NaN()},
          // Just beyond what is shorter: too large, too small, between two steps, too many digits.
          sample{"fa47800000", 0x1p16}, sample{"fa33000000", 0x1p-25},
          sample{"fa33c00000", 0x1.8p-24}, sample{"fa3f801000", 0x1.002p0},
          sample{"fa00000001", 0x1p-149}, sample{"fb3690000000000000", 0x1p-150},
          sample{"fb47f0000000000000", 0x1p128}, sample{"fb3ff0000010000000", 0x1.000001p0}}) {
        CAPTURE(hex);
        CHECK(to_deterministic(value) == hex);
    }
}

TEST_CASE("cbor, deterministic: every half is written as it was read") {
    for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
        const std::vector<std::byte> half{std::byte{0xf9}, static_cast<std::byte>(bits >> 8),
                                          static_cast<std::byte>(bits & 0xff)};
        const auto wide = waybill::decode<double>(waybill::codecs::cbor(), half);
        const auto narrow = waybill::decode<float>(waybill::codecs::cbor(), half);
        REQUIRE(wide);
        const std::string wanted = std::isnan(*wide) ? "f97e00" : to_hex(half);
        if (to_deterministic(*wide) != wanted || to_deterministic(*narrow) != wanted) {
            CAPTURE(bits);
            CHECK(to_deterministic(*wide) == wanted);
            CHECK(to_deterministic(*narrow) == wanted);
        }
    }
}
