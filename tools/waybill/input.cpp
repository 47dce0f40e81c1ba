#include "input.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace waybill::tool {
namespace {

struct closer {
    void operator()(std::FILE* file) const {
        if (file != stdin) std::fclose(file);
    }
};

}  // namespace

std::expected<std::string, std::string> read_input(const std::string& file, std::size_t most) {
    const auto failed = [&] {
        return std::unexpected("cannot read " + file + ": " + std::strerror(errno));
    };
    const std::unique_ptr<std::FILE, closer> from{file == "-" ? stdin
                                                              : std::fopen(file.c_str(), "rb")};
    if (!from) return failed();
    std::string text;
    std::array<char, 1 << 16> piece;
    while (text.size() <= most) {
        const auto count = std::fread(piece.data(), 1, piece.size(), from.get());
        text.append(piece.data(), count);
        if (count < piece.size()) break;
    }
    if (std::ferror(from.get()) != 0) return failed();
    return text;
}

}  // namespace waybill::tool
