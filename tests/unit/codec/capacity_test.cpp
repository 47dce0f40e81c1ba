// What an object of the lane has once taken, the next message of its shape uses again.
#include "heap_peak.hpp"
#include "samples.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <map>
#include <unordered_map>
#include <variant>

using namespace samples;

namespace samples {

struct note {
    std::string text;
    bool operator==(const note&) const = default;
};

/// One of everything that takes memory, with text too long for the string object itself.
struct roomy {
    std::string name;
    std::optional<std::string> remark;
    std::vector<line> lines;
    std::vector<std::byte> blob;
    std::array<std::string, 2> pair;
    std::map<std::string, std::string> sorted;
    std::unordered_map<std::string, std::vector<std::string>> hashed;
    std::variant<std::uint32_t, note> event;
    std::optional<std::variant<std::string, bool>> answer;
    std::chrono::sys_seconds at{};
    bool operator==(const roomy&) const = default;
};

struct viewer {
    std::string_view name;
    std::vector<std::string_view> tags;
    std::span<const std::byte> blob;
};

}  // namespace samples

namespace {

/// Every text is made of `letter`; `size` is the number of lines.
roomy full(char letter, std::size_t size = 3) {
    const std::string text(40, letter);
    roomy made{.name = text,
               .remark = text,
               .lines = std::vector<line>(size, line{text, 7, text}),
               .blob = std::vector<std::byte>(60, static_cast<std::byte>(letter)),
               .pair = {text, text},
               .sorted = {{text + "1", text}, {text + "2", text}},
               .hashed = {{text + "1", {text, text}}, {text + "2", {text}}},
               .event = note{text},
               .answer = text,
               .at = {}};
    return made;
}

template <class T>
waybill::byte_buffer payload_of(const waybill::codec& with, const T& value) {
    waybill::byte_buffer payload;
    REQUIRE(with->encode(waybill::value_type_of<T>(), &value, payload));
    return payload;
}

const std::array codecs{waybill::codecs::json(), waybill::codecs::cbor(),
                        waybill::codecs::msgpack()};

/// Reads the values in turn and again, and wants no memory asked for in the last round.
template <class T>
void settles(const std::vector<T>& values) {
    for (const auto& with : codecs) {
        CAPTURE(with->name());
        std::vector<waybill::byte_buffer> payloads;
        for (const T& value : values) payloads.push_back(payload_of(with, value));
        T object{};
        for (int round = 0; round < 3; ++round) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                CAPTURE(i);
                bool is_read = false;
                const std::size_t count = support::allocations(
                    [&] { is_read = read_into(object, with, payloads[i].bytes()).has_value(); });
                REQUIRE(is_read);
                CHECK(object == values[i]);
                if (round == 2) CHECK(count == 0);
            }
        }
    }
}

}  // namespace

TEST_CASE("asking for memory is counted") {
    CHECK(support::allocations([] {}) == 0);
    CHECK(support::allocations([] { std::string(100, 'x').append(1000, 'y'); }) >= 2);
}

TEST_CASE("messages of one shape ask for no memory once the object has held some") {
    settles<roomy>({full('a'), full('b'), full('c')});
}

TEST_CASE("each kind alone asks for none either") {
    const std::string a(40, 'a');
    const std::string b(40, 'b');
    settles<std::map<std::string, std::string>>({{{a, a}, {b, b}}, {{a + 'x', b}, {b + 'x', a}}});
    settles<std::unordered_map<std::string, std::string>>(
        {{{a, a}, {b, b}}, {{a + 'x', b}, {b + 'x', a}}});
    settles<std::map<std::string, std::map<std::string, int>>>(
        {{{a, {{a, 1}, {b, 2}}}}, {{b, {{b, 1}, {a, 2}}}}});
    settles<std::variant<std::string, note>>({a, b});
    settles<std::variant<std::string, note>>({note{a}, note{b}});
    settles<std::vector<std::optional<std::string>>>({{a, b}, {b, a}});
    settles<std::array<std::vector<std::string>, 2>>({{{{a}, {b, a}}}, {{{b}, {a, b}}}});
}

TEST_CASE("a list that shrinks and grows again keeps the memory of its elements") {
    settles<roomy>({full('a', 9), full('b', 1), full('c', 5), full('d', 0), full('e', 9)});
    settles<std::map<std::string, std::string>>(
        {{{std::string(40, 'a'), "1"}, {std::string(40, 'b'), "2"}},
         {},
         {{std::string(30, 'c'), ""}}});
}

TEST_CASE("borrowed text asks for none, and its arena for none once it has held some") {
    for (const auto& with : codecs) {
        CAPTURE(with->name());
        const std::string text = repeated(20, "\n\"");  // JSON has to escape it
        const std::vector<std::byte> bytes(50, std::byte{7});
        const auto payload = payload_of(with, viewer{text, {text, "plain"}, bytes});
        viewer object;
        waybill::arena kept;
        std::size_t count = 0;
        for (int round = 0; round < 3; ++round) {
            kept.clear();
            bool is_read = false;
            count = support::allocations([&] {
                is_read =
                    with->decode(waybill::value_type_of<viewer>(), &object, payload.bytes(), kept)
                        .has_value();
            });
            REQUIRE(is_read);
            CHECK(object.name == text);
            CHECK(object.tags[0] == text);
        }
        CHECK(count == 0);
    }
}
