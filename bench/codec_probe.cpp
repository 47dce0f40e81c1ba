/// Reads and writes messages by the codecs: the time and the allocations of one message, or one
/// case alone for counting instructions: `bench_codec_probe CASE COUNT`.
///
///     valgrind --tool=callgrind build/bin/bench_codec_probe json-28 20000
///     valgrind --tool=callgrind build/bin/bench_codec_probe json-28 40000
///
/// The difference of the two totals over 20,000 is the cost of one message. Allocations are those
/// after the first message.
#include <waybill/codec.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
    ++allocations;
    if (void* const place = std::malloc(size)) return place;
    throw std::bad_alloc{};
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }

namespace probe {

struct refund {
    std::uint64_t order = 0;
    std::uint32_t cents = 0;
};

struct ends {
    std::uint64_t id = 0;
    std::int64_t total = 0;
};

struct line {
    std::string sku;
    std::uint32_t count = 0;
    std::uint64_t cents = 0;
    std::string note;
};

struct purchase {
    std::uint64_t id = 0;
    std::string customer;
    std::string currency;
    std::vector<line> lines;
    std::int64_t total = 0;
    bool paid = false;
};

purchase make_purchase(std::size_t note_size) {
    purchase made{.id = 9007199254740993,
                  .customer = "Ada Lovelace, 12 St James's Square, London",
                  .currency = "GBP",
                  .lines = {},
                  .total = 123456,
                  .paid = true};
    for (std::uint32_t i = 0; i < 8; ++i)
        made.lines.push_back({"SKU-00417-" + std::to_string(i), i + 1, 129900 + i,
                              std::string(note_size, static_cast<char>('a' + i))});
    return made;
}

using work = std::function<void(std::size_t)>;

template <class T>
work decoding(const waybill::codec& with, const auto& sample) {
    auto payload = std::make_shared<waybill::byte_buffer>();
    using from = std::remove_cvref_t<decltype(sample)>;
    if (!with->encode(waybill::value_type_of<from>(), &sample, *payload)) std::abort();
    return [with, payload](std::size_t count) {
        T object{};
        const auto& type = waybill::value_type_of<T>();
        const waybill::codec_interface& reader = *with;
        for (std::size_t i = 0; i < count; ++i) {
            if (i == 1) allocations = 0;
            if (!reader.decode(type, &object, payload->bytes())) std::abort();
        }
    };
}

template <class T>
work encoding(const waybill::codec& with, const T& sample) {
    return [with, sample](std::size_t count) {
        waybill::byte_buffer out;
        const auto& type = waybill::value_type_of<T>();
        const waybill::codec_interface& writer = *with;
        for (std::size_t i = 0; i < count; ++i) {
            if (i == 1) allocations = 0;
            out.clear();
            if (!writer.encode(type, &sample, out)) std::abort();
        }
    };
}

std::map<std::string, work> all_cases() {
    const refund small{1234567, 499};
    const purchase large = make_purchase(53);
    const purchase skipped = make_purchase(61);
    std::map<std::string, work> cases;
    for (const auto& with :
         {waybill::codecs::json(), waybill::codecs::cbor(), waybill::codecs::msgpack()}) {
        const std::string name{with->name()};
        cases[name + "-28"] = decoding<refund>(with, small);
        cases[name + "-980"] = decoding<purchase>(with, large);
        cases[name + "-skip"] = decoding<ends>(with, skipped);
        cases[name + "-28-write"] = encoding(with, small);
        cases[name + "-980-write"] = encoding(with, large);
    }
    return cases;
}

void report(std::string_view name, const work& work) {
    constexpr std::size_t count = 200000;
    work(count / 10);
    const auto began = std::chrono::steady_clock::now();
    work(count);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    std::printf("%-16.*s %6.0f ns  %zu allocations\n", static_cast<int>(name.size()), name.data(),
                took.count() / count, allocations);
}

}  // namespace probe

int main(int argc, char** argv) {
    const auto cases = probe::all_cases();
    const auto chosen = argc > 1 ? cases.find(argv[1]) : cases.end();
    if (argc > 1 && (argc != 3 || chosen == cases.end())) {
        std::fputs("usage: bench_codec_probe [CASE COUNT], where CASE is one of\n", stderr);
        for (const auto& [name, ignored] : cases) std::fprintf(stderr, "  %s\n", name.c_str());
        return 2;
    }
    if (argc == 3) {
        chosen->second(std::strtoull(argv[2], nullptr, 10));
        std::printf("%zu allocations after the first message\n", allocations);
        return 0;
    }
    for (const auto& [name, work] : cases) probe::report(name, work);
    return 0;
}
