#include "transport/memory/patterns.hpp"

namespace waybill::memory {
namespace {

std::string_view first_word(std::string_view name) noexcept {
    return name.substr(0, name.find('.'));
}

bool is_last_word(std::string_view name) noexcept { return name.find('.') == name.npos; }

std::string_view behind(std::string_view name, std::string_view word) noexcept {
    return name.substr(word.size() + 1);
}

}  // namespace

void patterns::add(std::string_view pattern, backlog& by) {
    auto* at = &root_;
    while (true) {
        const auto word = first_word(pattern);
        if (word == ">") return at->rests.push_back(&by);
        auto& next = word == "*" ? at->any : at->words[std::string{word}];
        if (!next) next = std::make_unique<node>();
        at = next.get();
        if (is_last_word(pattern)) return at->ends.push_back(&by);
        pattern = behind(pattern, word);
    }
}

void patterns::find(std::string_view address, std::vector<backlog*>& found) const {
    find_below(root_, address, found);
}

void patterns::find_below(const node& at, std::string_view rest, std::vector<backlog*>& found) {
    found.insert(found.end(), at.rests.begin(), at.rests.end());
    const auto word = first_word(rest);
    const auto go_on = [&](const node& next) {
        if (!is_last_word(rest)) return find_below(next, behind(rest, word), found);
        found.insert(found.end(), next.ends.begin(), next.ends.end());
    };
    if (const auto named = at.words.find(word); named != at.words.end()) go_on(*named->second);
    if (at.any) go_on(*at.any);
}

}  // namespace waybill::memory
