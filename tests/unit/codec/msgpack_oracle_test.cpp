// What msgpack-c packs is read, and what is written msgpack-c unpacks.
#include "samples.hpp"

#include <doctest/doctest.h>

#define MSGPACK_NO_BOOST
#include <msgpack.hpp>

#include <array>
#include <map>
#include <random>

using namespace samples;

namespace {

using packer = msgpack::packer<msgpack::sbuffer>;
using fields = std::map<std::string, msgpack::object>;

std::span<const std::byte> bytes_in(const msgpack::sbuffer& packed) {
    return std::as_bytes(std::span{packed.data(), packed.size()});
}

void pack(packer& to, const line& one) {
    to.pack_map(one.note ? 3 : 2).pack("sku").pack(one.sku).pack("cents").pack(one.cents);
    if (one.note) to.pack("note").pack(*one.note);
}

void pack(packer& to, const order& one) {
    constexpr std::array<std::string_view, 3> names{"open", "paid", "lost"};
    constexpr std::array values{state::open, state::paid, state::lost};
    to.pack_map(11).pack("id").pack(one.id).pack("customer").pack(one.customer);
    to.pack("lines").pack_array(static_cast<std::uint32_t>(one.lines.size()));
    for (const line& each : one.lines) pack(to, each);
    to.pack("status");
    for (std::size_t i = 0; i < names.size(); ++i)
        if (one.status == values[i]) to.pack(std::string{names[i]});
    to.pack("gift");
    one.gift ? pack(to, *one.gift) : static_cast<void>(to.pack_nil());
    const auto size = static_cast<std::uint32_t>(one.blob.size());
    to.pack("blob").pack_bin(size).pack_bin_body(reinterpret_cast<const char*>(one.blob.data()),
                                                 size);
    to.pack("flags").pack(one.flags).pack("weight").pack(one.weight).pack("rate").pack(one.rate);
    to.pack("express").pack(one.express).pack("shelf");
    one.shelf ? to.pack(*one.shelf) : to.pack_nil();
}

line unpack_line(const msgpack::object& from) {
    auto all = from.as<fields>();
    line one{all.at("sku").as<std::string>(), all.at("cents").as<std::uint32_t>(), {}};
    if (all.contains("note")) one.note = all["note"].as<std::string>();
    CHECK(all.size() == (one.note ? 3 : 2));
    return one;
}

order unpack_order(const msgpack::object& from) {
    const std::map<std::string, state> states{
        {"open", state::open}, {"paid", state::paid}, {"lost", state::lost}};
    auto all = from.as<fields>();
    order one;
    one.id = all.at("id").as<std::uint64_t>();
    one.customer = all.at("customer").as<std::string>();
    for (const auto& each : all.at("lines").as<std::vector<msgpack::object>>())
        one.lines.push_back(unpack_line(each));
    one.status = states.at(all.at("status").as<std::string>());
    if (all.contains("gift")) one.gift = unpack_line(all["gift"]);
    CHECK(all.at("blob").type == msgpack::type::BIN);
    for (const char letter : all.at("blob").as<std::vector<char>>())
        one.blob.push_back(static_cast<std::byte>(letter));
    one.flags = all.at("flags").as<std::vector<bool>>();
    CHECK(all.at("weight").type == msgpack::type::FLOAT64);
    one.weight = all.at("weight").as<double>();
    CHECK(all.at("rate").type == msgpack::type::FLOAT32);
    one.rate = all.at("rate").as<float>();
    one.express = all.at("express").as<bool>();
    one.shelf.reset();
    if (!all.at("shelf").is_nil()) one.shelf = all["shelf"].as<std::int16_t>();
    return one;
}

/// Orders in which every length class of strings, bytes and arrays comes up.
class order_maker {
public:
    order operator()() {
        order one{.id = number(),
                  .customer = text(),
                  .lines = {},
                  .status = std::array{state::open, state::paid, state::lost}[below(3)],
                  .gift = {},
                  .blob = std::vector<std::byte>(size(), std::byte{0x5a}),
                  .flags = {},
                  .weight = std::ldexp(static_cast<double>(static_cast<std::int64_t>(number())),
                                       static_cast<int>(below(200)) - 100),
                  .rate = static_cast<float>(below(1000)) / 8,
                  .express = below(2) == 0,
                  .shelf = {}};
        for (std::size_t left = below(40); left != 0; --left) one.lines.push_back(make_line());
        for (std::size_t left = size(); left != 0; --left) one.flags.push_back(below(2) == 0);
        if (below(2) == 0) one.gift = make_line();
        if (below(2) == 0) one.shelf = static_cast<std::int16_t>(number());
        return one;
    }

private:
    std::size_t below(std::size_t end) { return random_() % end; }
    std::uint64_t number() { return random_() >> below(64); }
    std::size_t size() {
        constexpr std::array<std::size_t, 12> edges{0,   1,   15,  16,  31,    32,
                                                    255, 256, 257, 300, 65535, 65536};
        return edges[below(below(16) == 0 ? 12 : 10)];
    }
    std::string text() {
        return std::string(size(), static_cast<char>('a' + below(26))) + "\u20ac";
    }
    line make_line() {
        line one{text(), static_cast<std::uint32_t>(number()), {}};
        if (below(2) == 0) one.note = text();
        return one;
    }

    std::mt19937_64 random_{20240613};
};

}  // namespace

TEST_CASE("msgpack: msgpack-c reads what is written, and packs what is read") {
    order_maker make;
    for (int round = 0; round < 300; ++round) {
        CAPTURE(round);
        const order wanted = make();
        const auto written = waybill::encode(waybill::codecs::msgpack(), wanted);
        REQUIRE(written);
        const auto unpacked =
            msgpack::unpack(reinterpret_cast<const char*>(written->data()), written->size());
        CHECK(unpack_order(unpacked.get()) == wanted);

        msgpack::sbuffer packed;
        packer to{packed};
        pack(to, wanted);
        CHECK(waybill::decode<order>(waybill::codecs::msgpack(), bytes_in(packed)) == wanted);
    }
}

TEST_CASE("msgpack: integers are the bytes that msgpack-c packs") {
    std::mt19937_64 random{7};
    for (int round = 0; round < 20000; ++round) {
        const std::uint64_t bits = random() >> random() % 64;
        const auto value = static_cast<std::int64_t>(random() % 2 == 0 ? bits : ~bits);
        msgpack::sbuffer packed;
        packer to{packed};
        to.pack(value);
        if (to_msgpack(value) != to_hex(bytes_in(packed)))
            CHECK(to_msgpack(value) == to_hex(bytes_in(packed)));
        packed.clear();
        to.pack(bits);
        if (to_msgpack(bits) != to_hex(bytes_in(packed)))
            CHECK(to_msgpack(bits) == to_hex(bytes_in(packed)));
    }
}

TEST_CASE("msgpack: extensions that msgpack-c packs are skipped") {
    for (const std::uint32_t size :
         {0U, 1U, 2U, 3U, 4U, 8U, 16U, 17U, 255U, 256U, 65535U, 65536U}) {
        CAPTURE(size);
        const std::string body(size, '\xc1');
        msgpack::sbuffer packed;
        packer to{packed};
        to.pack_map(2).pack("x").pack_ext(size, -1).pack_ext_body(body.data(), size);
        to.pack("id").pack(7);
        CHECK(waybill::decode<id_only>(waybill::codecs::msgpack(), bytes_in(packed)) == id_only{7});
    }
}

TEST_CASE("msgpack: what is read although a byte was changed is a value to msgpack-c too") {
    order sample = full_order();
    sample.lines.resize(1);
    const auto good = from_hex(to_msgpack(sample));
    int read = 0;
    for (std::size_t place = 0; place < good.size(); ++place) {
        for (int change = 1; change < 256; ++change) {
            auto payload = good;
            payload[place] ^= static_cast<std::byte>(change);
            const auto got = waybill::decode<order>(waybill::codecs::msgpack(), payload);
            if (!got) continue;
            ++read;
            CAPTURE(to_hex(payload));
            std::size_t end = 0;
            const auto unpacked =
                msgpack::unpack(reinterpret_cast<const char*>(payload.data()), payload.size(), end);
            CHECK(end == payload.size());
            // Compared as bytes: a float may have become a NaN.
            const auto again = waybill::encode(waybill::codecs::msgpack(), *got);
            REQUIRE(again);
            const auto same = waybill::decode<order>(waybill::codecs::msgpack(), *again);
            REQUIRE(same);
            CHECK(to_msgpack(*same) == to_hex(*again));
        }
    }
    CHECK(read > 1000);
}
