#include "transport/memory/pattern.hpp"

#include <algorithm>

namespace waybill::memory {
namespace {

constexpr std::size_t longest_name = 1024;

/// Takes the first word off `rest`; the dot behind it goes too.
std::string_view take_word(std::string_view& rest, bool& more) noexcept {
    const auto dot = rest.find('.');
    more = dot != rest.npos;
    const auto word = rest.substr(0, dot);
    rest = more ? rest.substr(dot + 1) : std::string_view{};
    return word;
}

std::string name_problem(std::string_view name) {
    if (name.empty()) return "the name is empty";
    if (name.size() > longest_name) return "the name is longer than 1,024 bytes";
    if (std::any_of(name.begin(), name.end(), [](unsigned char byte) { return byte < 0x20; })) {
        return "the name holds a control character";
    }
    bool more = true;
    while (more) {
        if (take_word(name, more).empty()) return "a word between two dots is empty";
    }
    return {};
}

}  // namespace

bool is_pattern(std::string_view name) noexcept { return name.find_first_of("*>") != name.npos; }

bool matches(std::string_view pattern, std::string_view address) noexcept {
    bool more_pattern = true;
    bool more_address = true;
    while (more_pattern && more_address) {
        const auto wanted = take_word(pattern, more_pattern);
        const auto word = take_word(address, more_address);
        if (wanted == ">") return true;
        if (wanted != "*" && wanted != word) return false;
    }
    return !more_pattern && !more_address;
}

std::string address_problem(std::string_view address) {
    auto problem = name_problem(address);
    if (problem.empty() && is_pattern(address)) {
        problem = "it holds a wildcard, and a message is published to one address";
    }
    return problem;
}

std::string source_problem(std::string_view name) {
    if (auto problem = name_problem(name); !problem.empty()) return problem;
    bool more = true;
    while (more) {
        const auto word = take_word(name, more);
        const bool wild = is_pattern(word);
        if (wild && word.size() != 1) return "a wildcard is a whole word between dots";
        if (word == ">" && more) return "the wildcard > stands only at the end";
    }
    return {};
}

}  // namespace waybill::memory
