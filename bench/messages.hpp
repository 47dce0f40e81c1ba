/// The messages that the benchmarks send, and the codecs that read and write them.
#pragma once

#include <waybill/codec.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The small one: 28 bytes of JSON.
struct payment {
    std::uint64_t order = 0;
    std::uint64_t cents = 0;

    bool operator==(const payment&) const = default;
};

struct address {
    std::string street;
    std::string city;
    std::string postcode;

    bool operator==(const address&) const = default;
};

struct item {
    std::string sku;
    std::uint32_t count = 0;
    std::uint64_t cents = 0;
    std::string note;

    bool operator==(const item&) const = default;
};

/// The large one: about 1 KB of JSON.
struct purchase {
    std::uint64_t id = 0;
    std::string customer;
    std::string currency;
    address ship_to;
    std::vector<item> items;
    std::int64_t total = 0;
    bool paid = false;

    bool operator==(const purchase&) const = default;
};

/// What a reader of two fields declares: one stands before the items, one behind them.
struct purchase_ends {
    std::uint64_t id = 0;
    std::int64_t total = 0;
};

inline payment make_payment() { return {.order = 1234567, .cents = 49}; }

/// Eight items, each with a note of `note_size` bytes.
inline purchase make_purchase(std::size_t note_size) {
    purchase made{.id = 9007199254740993,
                  .customer = "Ada Lovelace",
                  .currency = "GBP",
                  .ship_to = {"12 St James's Square", "London", "SW1Y 4JH"},
                  .items = {},
                  .total = 123456,
                  .paid = true};
    for (std::uint32_t at = 0; at < 8; ++at) {
        made.items.push_back({"SKU-00417-" + std::to_string(at), at + 1, 129900 + at,
                              std::string(note_size, static_cast<char>('a' + at))});
    }
    return made;
}
inline purchase make_purchase() { return make_purchase(42); }

/// Every codec of Waybill that has a row of its own.
inline std::vector<waybill::codec> codecs() {
    return {
        waybill::codecs::json(),
        waybill::codecs::cbor(),
        waybill::codecs::msgpack(),
    };
}

inline void decode(const waybill::codec_interface& with, const waybill::value_type& type,
                   void* object, std::span<const std::byte> payload) {
    static waybill::arena kept;  // of messages that borrow nothing
    if (!with.decode(type, object, payload, kept)) std::abort();
}

inline void encode(const waybill::codec_interface& with, const waybill::value_type& type,
                   const void* object, waybill::byte_buffer& out) {
    if (!with.encode(type, object, out)) std::abort();
}

template <class T>
waybill::byte_buffer encoded(const waybill::codec& with, const T& sample) {
    waybill::byte_buffer out;
    encode(*with, waybill::value_type_of<T>(), &sample, out);
    return out;
}

/// A figure belongs to a size: `payload` has to have it, within 1 %.
inline void expect_size(std::span<const std::byte> payload, std::size_t size) {
    const std::size_t off = payload.size() < size ? size - payload.size() : payload.size() - size;
    if (off * 100 <= size) return;
    std::cerr << "expected a payload of " << size << " bytes, made one of " << payload.size()
              << '\n';
    std::exit(1);
}

}  // namespace bench
