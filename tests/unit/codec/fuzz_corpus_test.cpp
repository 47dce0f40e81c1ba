// Inputs on which a fuzz target once failed, and some that are like them, go through it again.
#include "fuzz/targets.hpp"
#include "samples.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

const std::filesystem::path corpus{"tests/fuzz/corpus"};

/// The failure, or nothing.
std::string failure_of(const fuzz::target& target, std::string_view hex) {
    const auto input = samples::from_hex(hex);
    try {
        target.run(input);
    } catch (const fuzz::broken& promise) {
        return promise.what();
    }
    return {};
}

bool is_hex_line(std::string_view line) {
    return line.size() % 2 == 0 && line.find_first_not_of("0123456789abcdef") == line.npos;
}

}  // namespace

TEST_CASE("inputs that once failed are handled by their fuzz target") {
    for (const fuzz::target& target : fuzz::targets()) {
        const auto path = corpus / (std::string{target.name} + ".hex");
        CAPTURE(path.string());
        std::ifstream file{path};
        int inputs = 0;
        for (std::string line; std::getline(file, line);) {
            if (line.empty() || line.front() == '#') continue;
            CAPTURE(line);
            CHECK(is_hex_line(line));
            CHECK(failure_of(target, line) == "");
            ++inputs;
        }
        CHECK(inputs > 0);
    }
}

TEST_CASE("every file of inputs is that of a fuzz target") {
    for (const auto& entry : std::filesystem::directory_iterator{corpus}) {
        const std::string name = entry.path().stem().string();
        CAPTURE(name);
        CHECK(std::ranges::find(fuzz::targets(), name, &fuzz::target::name) !=
              fuzz::targets().end());
        CHECK(entry.path().extension() == ".hex");
    }
}

TEST_CASE("grown inputs keep the promises") {
    std::vector<std::byte> room(4096);
    for (const fuzz::target& target : fuzz::targets()) {
        CAPTURE(target.name);
        for (std::uint64_t seed = 0; target.grow != nullptr && seed < 500; ++seed) {
            const auto input = std::span{room}.first(target.grow(room, seed));
            const std::string hex = samples::to_hex(input);
            CAPTURE(hex);
            CHECK(failure_of(target, hex) == "");
        }
    }
}
