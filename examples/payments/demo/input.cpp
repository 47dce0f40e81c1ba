#include "demo/input.hpp"

#include <waybill/codec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>

namespace demo {

using payments::answer;

/// What a line holds. At namespace scope, where the codec can describe it.
struct scripted_request {
    std::uint64_t order;
    std::string customer;
    std::vector<payments::order_line> lines;
    std::optional<std::vector<std::string>> provider;
};

namespace {

constexpr std::array words{
    std::pair{std::string_view{"ok"}, answer::ok},
    std::pair{std::string_view{"busy"}, answer::busy},
    std::pair{std::string_view{"unavailable"}, answer::unavailable},
    std::pair{std::string_view{"declined"}, answer::declined},
};

std::string_view next_line(std::string_view& rest) {
    const auto end = std::min(rest.find('\n'), rest.size());
    auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r\f\v") == std::string_view::npos;
}

/// Puts the answers into the line; the first word that is none is the problem.
std::optional<waybill::error> read_script(std::string_view name,
                                          const std::vector<std::string>& script,
                                          request_line& into) {
    for (const auto& word : script) {
        const auto* known = std::ranges::find(words, word, &decltype(words)::value_type::first);
        if (known == words.end()) {
            return waybill::error{
                waybill::errc::argument, fmt::format("{}, line {}", name, into.number),
                fmt::format("the provider cannot answer \"{}\"", printable(word, 40)),
                "Its answers are ok, busy, unavailable and declined"};
        }
        into.answers.push_back(known->second);
    }
    return std::nullopt;
}

std::optional<waybill::error> read_line(std::string_view name, request_line& line) {
    auto read = waybill::decode<scripted_request>(waybill::codecs::json(),
                                                  std::as_bytes(std::span{line.text}));
    if (!read) return std::nullopt;
    line.request.emplace(read->order, std::move(read->customer), std::move(read->lines));
    return read->provider ? read_script(name, *read->provider, line) : std::nullopt;
}

waybill::error unreadable(const std::string& path, int why) {
    return {waybill::errc::argument, printable(path, 200),
            fmt::format("the input cannot be read ({})", std::strerror(why)),
            "Name a file with one JSON object a line, like examples/payments/requests.jsonl"};
}

/// Length of the UTF-8 character that begins here; 0 when there is none fit to print.
std::size_t printable_length(std::string_view text) {
    const auto at = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    const unsigned first = at(0);
    if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xc0) != 0x80) return 0;
    }
    const bool is_control = first == 0xc2 && at(1) < 0xa0;
    const bool is_overlong = (first == 0xe0 && at(1) < 0xa0) || (first == 0xf0 && at(1) < 0x90);
    const bool is_outside = (first == 0xed && at(1) >= 0xa0) || (first == 0xf4 && at(1) >= 0x90);
    return is_control || is_overlong || is_outside ? 0 : length;
}

}  // namespace

std::string_view word_of(answer said) noexcept {
    return std::ranges::find(words, said, &decltype(words)::value_type::second)->first;
}

std::expected<std::vector<request_line>, std::vector<waybill::error>> parse_input(
    std::string_view name, std::string_view bytes) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
    std::vector<request_line> lines;
    std::vector<waybill::error> problems;
    for (std::size_t number = 1; !bytes.empty(); ++number) {
        const auto text = next_line(bytes);
        if (is_blank(text)) continue;
        auto& line = lines.emplace_back();
        line.number = number;
        line.text = text;
        if (auto problem = read_line(name, line)) problems.push_back(std::move(*problem));
    }
    if (!problems.empty()) return std::unexpected(std::move(problems));
    return lines;
}

std::expected<std::vector<request_line>, std::vector<waybill::error>> read_input(
    const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "rb"),
                                                               std::fclose};
    if (!file) return std::unexpected(std::vector{unreadable(path, errno)});
    std::string bytes;
    std::array<char, 65536> part{};
    while (const auto size = std::fread(part.data(), 1, part.size(), file.get())) {
        bytes.append(part.data(), size);
    }
    if (std::ferror(file.get()) != 0) return std::unexpected(std::vector{unreadable(path, errno)});
    return parse_input(printable(path, 200), bytes);
}

std::string printable(std::string_view text, std::size_t limit) {
    std::string fit;
    auto rest = text;
    while (!rest.empty() && fit.size() < limit) {
        const auto length = printable_length(rest);
        if (length == 0) {
            fit += fmt::format("\\x{:02x}", static_cast<unsigned char>(rest[0]));
        } else {
            fit += rest.substr(0, length);
        }
        rest.remove_prefix(std::max<std::size_t>(length, 1));
    }
    if (!rest.empty()) fit += fmt::format("... ({} more bytes)", rest.size());
    return fit;
}

}  // namespace demo
