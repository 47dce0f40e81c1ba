// The heap that a decode has in use at its worst stays below 64 times the payload and 64 KiB.
#include "heap_peak.hpp"

#include "samples.hpp"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <thread>
#include <variant>

using namespace samples;

namespace heap {

/// About 500 bytes that a payload need not mention.
struct big {
    std::optional<std::string> a, b, c, d, e, f;
    std::optional<std::vector<std::string>> g, h, i, j;
    std::optional<double> k, l, m, n;
    std::optional<id_only> o, p, q, r;
};
static_assert(sizeof(big) >= 450 && sizeof(big) <= 550);

struct text_and_rest {
    std::string text;
    std::optional<std::vector<text_and_rest>> rest;
};

std::string times(std::size_t count, std::string_view piece) {
    std::string all;
    all.reserve(count * piece.size());
    for (std::size_t i = 0; i < count; ++i) all += piece;
    return all;
}

/// `open`, then `element` so many times with commas between, then `close`.
std::string listed(std::size_t count, std::string_view element, std::string_view open = "[",
                   std::string_view close = "]") {
    std::string all{open};
    for (std::size_t i = 0; i < count; ++i) {
        if (i != 0) all += ',';
        all += element;
    }
    return all.append(close);
}

std::string cbor(std::string_view hex) {
    const auto bytes = from_hex(hex);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The peak of reading a `T`, on a thread of its own that has read nothing before.
template <class T>
std::size_t peak_of(const waybill::codec& with, std::string_view payload) {
    waybill::byte_buffer padded;
    padded.append(payload);
    std::size_t peak = 0;
    std::expected<void, waybill::error> done;
    std::jthread{[&] {
        peak = support::heap_peak([&] {
            T object{};
            done = read_into(object, with, padded.bytes());
        });
    }}.join();
    CHECK((done || done.error().message().size() <= 200));
    return peak;
}

template <class T>
void check(const waybill::codec& with, std::string_view payload) {
    CAPTURE(with->name());
    CAPTURE(waybill::value_type_of<T>().name);
    CAPTURE(to_hex(bytes_of(payload.substr(0, 16))));
    CAPTURE(payload.size());
    CHECK(peak_of<T>(with, payload) < 64 * (payload.size() + 1024));
}

template <class T>
void check_json(std::string_view payload) {
    check<T>(waybill::codecs::json(), payload);
}
template <class T>
void check_cbor(std::string_view payload) {
    check<T>(waybill::codecs::cbor(), payload);
}

/// Little on the wire, much by its defaults.
struct lavish {
    std::vector<std::uint64_t> numbers = std::vector<std::uint64_t>(1000, 7);
    std::string text;
};

}  // namespace heap

template <>
struct waybill::message_traits<heap::lavish> {
    static constexpr std::string_view long_text =
        "a default of some two hundred letters, which a payload need not hold: a default of some "
        "two hundred letters, which a payload need not hold: a default of some two hundred letters";
    static constexpr auto fields = std::tuple{waybill::defaulted(&heap::lavish::numbers),
                                              waybill::defaulted(&heap::lavish::text, long_text)};
};

namespace heap {

struct lavish_parts {
    std::optional<lavish> one;
    std::optional<std::map<std::string, lavish>> many;
    std::optional<std::variant<bool, lavish>> choice;
};

/// Counts one above a power of two are the worst of a vector that has just grown.
constexpr std::size_t counts[] = {1, 17, 129, 1000, 1025, 8193, 65537};

TEST_CASE("a heap watch sees the peak, not the sum, and not what was there before") {
    const auto pass = [](std::size_t size) { ::operator delete(::operator new(size)); };
    const std::size_t peak = support::heap_peak([&] {
        for (int i = 0; i < 10; ++i) pass(10000);
        pass(20000);
        pass(10000);
    });
    CHECK(peak >= 20000);
    CHECK(peak < 30000);
    CHECK(support::heap_peak([] {}) == 0);
    void* const before = ::operator new(100000);
    CHECK(support::heap_peak([&] { ::operator delete(before); }) == 0);
    CHECK(support::heap_peak([] { std::vector<big>{}.reserve(1000); }) >= 1000 * sizeof(big));
}

TEST_CASE("defaults of absent members are counted") {
    for (const std::size_t count : counts) {
        const std::string some = cbor("99" + to_hex(std::array{static_cast<std::byte>(count >> 8),
                                                               static_cast<std::byte>(count)}));
        check_json<std::vector<lavish>>(listed(count, "{}"));
        check_json<std::vector<lavish_parts>>(listed(count, R"({"one":{}})"));
        check_json<std::vector<lavish_parts>>(listed(count, R"({"many":{"a":{},"b":{}}})"));
        check_json<std::vector<lavish_parts>>(listed(count, R"({"choice":{"lavish":{}}})"));
        if (count > 65535) continue;
        check_cbor<std::vector<lavish>>(some + times(count, "\xa0"));
        check_cbor<std::vector<lavish_parts>>(some + times(count, cbor("a1 63 6f6e65 a0")));
    }
}

TEST_CASE("json: open brackets cost no more than their bytes allow") {
    for (const std::size_t count : counts) {
        for (const auto* open : {"[", "{\"a\":", "[[],", "[1,", "{\"a\":[", "\"", "\"\"", "\\"}) {
            const std::string payload = times(count, open);
            check_json<nothing>(payload);
            check_json<nothing>("{\"a\":" + payload);
            check_json<tree>("{\"value\":1,\"children\":" + payload);
            check_json<std::vector<int>>(payload);
            check_json<std::vector<std::vector<std::vector<std::string>>>>(payload);
            check_json<std::vector<big>>(payload);
            check_json<std::string>(payload);
        }
    }
}

TEST_CASE("json: strings, numbers and names in long arrays") {
    for (const std::size_t count : counts) {
        check_json<std::vector<std::string>>(listed(count, "\"\""));
        check_json<std::vector<std::string>>(
            listed(count, "\"a long string that is no short one\""));
        check_json<std::vector<std::optional<std::string>>>(listed(count, "null"));
        check_json<std::vector<double>>(listed(count, "1"));
        check_json<std::vector<bool>>(listed(count, "true"));
        check_json<std::vector<std::vector<int>>>(listed(count, "[]"));
        check_json<std::vector<state>>(listed(count, "\"open\""));
        check_json<std::vector<nothing>>(listed(count, "{}"));
        check_json<std::vector<std::vector<std::byte>>>(listed(count, "\"\""));
    }
}

TEST_CASE("json: one long string, whatever it is for") {
    for (const std::size_t count : counts) {
        for (const auto* piece : {"a", "\\n", "\\u0000", "\u20ac", "\\ud83d\\ude00", "AAAA"}) {
            const std::string payload = '"' + times(count, piece) + '"';
            check_json<std::string>(payload);
            check_json<std::vector<std::byte>>(payload);
            check_json<state>(payload);
            check_json<nothing>("{" + payload + ":" + payload + "}");
            check_json<id_only>(payload);
        }
    }
}

TEST_CASE("json: a type that contains itself") {
    for (const std::size_t count : counts) {
        check_json<text_and_rest>(listed(count, R"({"text":""})", R"({"text":"","rest":[)", "]}"));
        check_json<tree>(
            listed(count, R"({"value":1,"children":[]})", R"({"value":1,"children":[)", "]}"));
    }
}

TEST_CASE("json: empty objects into a vector of a large struct") {
    for (const std::size_t count : counts) {
        check_json<std::vector<big>>(listed(count, "{}"));
        check_json<std::vector<big>>(listed(count, "{}", "[", ""));
        check_json<std::vector<std::vector<big>>>(listed(count, "[{}]"));
        check_json<std::vector<big>>(listed(count, R"({"a":""})"));
    }
}

TEST_CASE("cbor: containers that are opened and not filled") {
    for (const std::size_t count : counts) {
        for (const auto* open :
             {"81", "9f", "a1", "bf", "a16161", "bf6161", "c1", "5f", "7f", "d9d9f7"}) {
            const std::string payload = times(count, cbor(open));
            check_cbor<nothing>(payload);
            check_cbor<nothing>(cbor("a16161") + payload);
            check_cbor<tree>(cbor("a2 6576616c7565 01 686368696c6472656e") + payload);
            check_cbor<std::vector<int>>(payload);
            check_cbor<std::vector<std::vector<std::vector<std::string>>>>(payload);
            check_cbor<std::vector<big>>(payload);
            check_cbor<std::string>(payload);
        }
    }
}

TEST_CASE("cbor: lengths that lie") {
    for (const auto* length : {"1a 00010000", "1a ffffffff", "1b 0000000100000000",
                               "1b 7fffffffffffffff", "1b ffffffffffffffff"}) {
        for (const unsigned char major : {0x40, 0x60, 0x80, 0xa0}) {
            std::string head = cbor(length);
            head[0] = static_cast<char>(head[0] | major);
            for (const std::size_t count : {0, 1, 1000}) {
                const std::string payload = head + std::string(count, '\0');
                check_cbor<nothing>(payload);
                check_cbor<nothing>(cbor("a16161") + payload);
                check_cbor<id_only>(cbor("a1626964") + payload);
                check_cbor<std::string>(payload);
                check_cbor<std::string>(cbor("7f") + payload);
                check_cbor<std::vector<std::byte>>(payload);
                check_cbor<std::vector<std::byte>>(cbor("5f") + payload);
                check_cbor<std::vector<bool>>(payload);
                check_cbor<std::vector<int>>(payload);
                check_cbor<std::vector<std::string>>(payload);
                check_cbor<std::vector<std::vector<std::uint64_t>>>(times(3, head) + payload);
                check_cbor<std::vector<big>>(payload);
            }
        }
    }
}

TEST_CASE("cbor: chunks and numbers in a row") {
    for (const std::size_t count : counts) {
        check_cbor<std::string>(cbor("7f") + times(count, cbor("60")) + cbor("ff"));
        check_cbor<std::string>(cbor("7f") + times(count, cbor("6161")) + cbor("ff"));
        check_cbor<std::vector<std::byte>>(cbor("5f") + times(count, cbor("4161")) + cbor("ff"));
        check_cbor<std::vector<std::uint64_t>>(cbor("9f") + times(count, cbor("00")) + cbor("ff"));
        check_cbor<std::vector<bool>>(cbor("9f") + times(count, cbor("f5")) + cbor("ff"));
        check_cbor<std::vector<std::optional<int>>>(cbor("9f") + times(count, cbor("f6")));
        check_cbor<nothing>(cbor("a1 6161 9f") + times(count, cbor("a0")) + cbor("ff"));
    }
}

TEST_CASE("cbor: empty items into vectors of what is larger") {
    for (const std::size_t count : counts) {
        check_cbor<std::vector<big>>(cbor("9f") + times(count, cbor("a0")) + cbor("ff"));
        check_cbor<std::vector<big>>(cbor("9f") + times(count, cbor("a0")));
        check_cbor<std::vector<std::string>>(cbor("9f") + times(count, cbor("60")) + cbor("ff"));
        check_cbor<std::vector<std::vector<int>>>(cbor("9f") + times(count, cbor("80")));
        check_cbor<std::vector<std::optional<std::string>>>(cbor("9f") + times(count, cbor("f6")));
    }
}

}  // namespace heap
