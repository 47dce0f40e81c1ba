// One fuzzer. WAYBILL_FUZZ_TARGET is the name of its target.
#include "targets.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

const fuzz::target& only() {
    static const fuzz::target& found =
        *std::ranges::find(fuzz::targets(), WAYBILL_FUZZ_TARGET, &fuzz::target::name);
    return found;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        only().run(std::as_bytes(std::span{data, size}));
    } catch (const fuzz::broken& promise) {
        std::fprintf(stderr, "broken: %s\n", promise.what());
        std::abort();
    }
    return 0;
}

// The fuzzer's own changes find what nobody thought of; a good payload now and then gets them far.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    if (only().grow == nullptr || most < 2 || seed % 8 != 0)
        return LLVMFuzzerMutate(data, size, most);
    return only().grow(std::as_writable_bytes(std::span{data, most}), seed);
}
