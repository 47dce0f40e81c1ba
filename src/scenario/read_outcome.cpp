// What a handler answers, delivery by delivery.
#include "scenario/mistakes.hpp"
#include "scenario/reading.hpp"
#include "time/saturating.hpp"

#include <array>
#include <charconv>

namespace waybill::scenario {
namespace {

using kind = answer::kind;

void wrong_text(const entry& at, std::string_view text) {
    static constexpr std::array<std::string_view, 6> words{"ack",         "drop",  "retry",
                                                           "retry_after", "throw", "crash"};
    const auto word = text.substr(0, text.find(' '));
    if (word == "retry_after") {
        return at.wrong(quoted(text) + R"( needs a duration, as in "retry_after 30s")");
    }
    if (word == "throw") {
        return at.wrong(quoted(text) + R"( needs an integer, as in "throw 7", or nothing)");
    }
    at.wrong(quoted(text) + " is no outcome" + hint_for(word, words));
}

void read_into(const entry& from, const reading& in, answer& into);

void read_publications(const entry& from, const reading& in, std::vector<publication>& into) {
    from.list([&](const entry& each) {
        each.object([&](fields& one) {
            publication made;
            made.to = read_address(one.need("to"), in).value_or("");
            made.payload = read_payload(one);
            into.push_back(std::move(made));
        });
    });
}

void read_end(fields& from, const reading& in, answer& into) {
    const auto reply = from.take("reply");
    const auto then = from.take("then");
    if (reply) {
        into.what = kind::reply;
        into.reply = reply->text().value_or("");
        if (then && !(then->is() == json::value{"ack"})) {
            then->wrong(R"(what replies has ended with "ack": leave "then" out)");
        }
    } else if (then) {
        read_into(*then, in, into);
    }
}

void read_object(fields& from, const reading& in, answer& into) {
    if (const auto takes = from.duration("takes")) {
        into.takes = saturating_add(into.takes, *takes);
    }
    if (const auto at = from.take("publish")) read_publications(*at, in, into.publishes);
    read_end(from, in, into);
}

void read_into(const entry& from, const reading& in, answer& into) {
    if (const auto* members = from.is().members()) {
        if (members->empty()) {
            return from.wrong(R"(an outcome has "takes", "publish", "reply" or "then")");
        }
        from.object([&](fields& one) { read_object(one, in, into); });
        return;
    }
    const auto text = from.text();
    if (!text) return;
    const auto plain = answer_of(*text);
    if (!plain) return wrong_text(from, *text);
    into.what = plain->what;
    into.delay = plain->delay;
    into.number = plain->number;
}

}  // namespace

std::optional<answer> answer_of(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, kind>, 5> words{{{"ack", kind::ack},
                                                                      {"drop", kind::drop},
                                                                      {"retry", kind::retry},
                                                                      {"throw", kind::throws},
                                                                      {"crash", kind::crash}}};
    for (const auto& [word, what] : words) {
        if (text == word) return answer{.what = what};
    }
    const auto space = text.find(' ');
    if (space == text.npos) return std::nullopt;
    const auto word = text.substr(0, space);
    const auto rest = text.substr(space + 1);
    if (word == "retry_after") {
        const auto delay = duration_of(rest);
        if (delay) return answer{.what = kind::retry_after, .delay = *delay};
    } else if (word == "throw") {
        int number = 0;
        const auto* const begin = rest.data();
        const auto* const end = begin + rest.size();
        const auto [behind, fault] = std::from_chars(begin, end, number);
        if (fault == std::errc{} && behind == end) {
            return answer{.what = kind::throws_number, .number = number};
        }
    }
    return std::nullopt;
}

answers read_answers(const entry& from, const reading& in) {
    answers made;
    from.list([&](const entry& each) { read_into(each, in, made.emplace_back()); });
    if (from.is().items() != nullptr && made.empty()) from.wrong("one outcome at least is needed");
    return made;
}

}  // namespace waybill::scenario
