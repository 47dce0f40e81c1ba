// What the declarations mean, for people.
#include "scenario/explain.hpp"
#include "scenario/terminal.hpp"

namespace waybill::scenario {
namespace {

constexpr std::size_t page = 100;
constexpr std::size_t label_width = 13;
constexpr std::size_t indent = 2;

std::string deliveries(std::uint64_t count) {
    return count == 1 ? "1 delivery" : std::to_string(count) + " deliveries";
}

std::string names(const std::vector<std::string>& all) {
    std::string text;
    for (const auto& each : all) text += (text.empty() ? "" : ", ") + each;
    return text;
}

std::string how_long(const course& of) {
    if (of.waiting == unbounded) return ", and waits for more than 292 years in all";
    if (of.waiting == nanoseconds{0}) return {};
    return ", and waits " + to_text(of.waiting) + " in all";
}

std::string why_dropped(const course& of, const declaration& declared) {
    switch (of.reason.value_or(dead_reason::outcome)) {
        case dead_reason::outcome:
            return "as the handler says";
        case dead_reason::exception:
            return "as on_exception says";
        case dead_reason::decode:
            return declared.on_undecodable ? "as on_undecodable says"
                                           : "as there is no dead letter";
        default:
            return declared.drop_when_spent ? "as drop_when_spent says"
                                            : "as there is no dead letter";
    }
}

std::string how_it_ends(const course& of, const meaning& in) {
    const auto& declared = *in.declared;
    switch (of.end) {
        case ending::acked:
            return "Then it is done.";
        case ending::dropped:
            return "Then it is dropped, " + why_dropped(of, declared) + '.';
        case ending::rejected:
            return "Then it is rejected, and the broker's own policy has it.";
        case ending::dead_letter:
            return "Then it goes to the dead letter " + *declared.dead_letter + ", reason " +
                   to_string(*of.reason) + '.';
        case ending::moved: {
            const auto readers = names(in.copies_go_to);
            return "Then its copy goes to " + *declared.retry_to + ", which " +
                   (readers.empty() ? "no subscription of this file reads."
                                    : readers + " reads, and counts on.");
        }
        case ending::lost:
            return "Then it is lost with the process.";
        case ending::never:
            return {};
        case ending::not_followed:
            return "It goes on from there: only so many are followed.";
    }
    return {};
}

/// "A message has 4 deliveries, and waits 30s in all. Then ..."
std::string story(const course& of, const meaning& in, const std::string& who) {
    const auto takes = of.handling > nanoseconds{0}
                           ? " The handler works on it for " + to_text(of.handling) + " in all."
                           : std::string{};
    if (of.end == ending::never) {
        const bool waits = of.waiting == unbounded;
        return who + " is delivered for ever" +
               (waits ? ", and waits before each delivery, without bound." : ".");
    }
    return who + " has " + deliveries(of.deliveries) + how_long(of) + '.' + takes + ' ' +
           how_it_ends(of, in);
}

std::string worst(const meaning& of) {
    if (of.worst.end == ending::never) {
        return "A message that is never done is delivered for ever, as no max_attempts is "
               "declared; it waits before each delivery, without bound.";
    }
    return story(of.worst, of, "A message that is never done");
}

std::string counting(const meaning& of) {
    const auto& rest = "the header of each copy carries the count on.";
    if (of.said.counted_by == "broker+header") {
        return "The broker counts failed deliveries, and " + std::string{rest};
    }
    return "The broker does not count failures: every retry is a copy, and " + std::string{rest};
}

std::string delaying(const meaning& of) {
    const auto& declared = *of.declared;
    std::string text{"A retry without a delay "};
    if (!declared.retry_delay.empty()) {
        text += "waits " + declared.retry_delay.describe();
    } else if (declared.max_attempts) {
        text += "comes again at once";
    } else {
        text += "pauses for at most " + to_text(settle::longest_pause) + ", as there is no cap";
    }
    if (of.said.delays == "broker") return text + "; what waits does so in the broker.";
    if (of.said.delays == "held") return text + "; what waits is held unsettled in the process.";
    return text + "; what waits is a copy in the memory of the process.";
}

std::string killing(const meaning& of) {
    if (of.said.kill_loses == "nothing") {
        return "A kill of the process loses nothing: what is not settled comes again.";
    }
    if (of.said.kill_loses == "waiting") {
        return "A kill of the process loses the copies that wait in its memory, and nothing else.";
    }
    if (of.said.kill_loses == "unsettled") {
        return "A kill of the process loses what it has in hand.";
    }
    return "A kill of the process loses everything: the broker lives in it.";
}

std::string crashing(const meaning& of) {
    const std::string who = "a message that kills the process each time";
    if (of.crashes.end == ending::never) {
        return "Unbounded: " + who + " is delivered for ever, as no count ends that.";
    }
    return "Bounded: " + story(of.crashes, of, who);
}

std::string stopping(const meaning& of) {
    const bool waits_here = of.said.delays == "memory";
    const auto* const waits =
        waits_here ? " What waits in the process is published with its due time, and waits on."
                   : " What waits in the broker waits on.";
    if (!of.said.stop_charges) {
        return std::string{"A stop charges nothing for what it gives back."} + waits;
    }
    return std::string{
               "What a stop gives back counts as a return with the server, not as an attempt; "
               "max_redeliveries counts it."} +
           waits;
}

std::string undecodable(const meaning& of) {
    if (!of.undecodable) return "Payloads are raw: nothing is decoded.";
    return story(*of.undecodable, of, "A payload that cannot be decoded");
}

/// Labels on the left and sentences beside them.
class page_of_text {
public:
    explicit page_of_text(bool is_coloured) : paint_{is_coloured} {}

    void heading(std::string_view text, std::string_view beside) {
        made_ += paint_(colour::bold, harmless(text)) + harmless(beside) + '\n';
    }
    void entry(std::string_view label, std::string_view sentences, std::string_view in) {
        constexpr auto beside = indent + label_width;
        auto before = std::string(indent, ' ') +
                      paint_(colour::dim, to_left(cut_to(label, label_width - 1), label_width));
        for (const auto& line : in_lines(harmless(sentences), page - beside)) {
            made_ += before + paint_(in, line) + '\n';
            before = std::string(beside, ' ');
        }
    }
    void gap() { made_ += '\n'; }
    [[nodiscard]] std::string take() { return std::move(made_); }

private:
    paint paint_;
    std::string made_;
};

void add(page_of_text& to, const meaning& of) {
    to.gap();
    const auto& from = of.declared->from;
    to.heading(of.name, "  reads " + from.name + (from.fan_out ? ", a copy for each app" : ""));
    const auto graveness = [](const course& each) {
        return each.end == ending::never ? colour::red : colour::none;
    };
    to.entry("worst case", worst(of), graveness(of.worst));
    to.entry("this file", story(of.handler, of, "As the handler's list answers, a message"),
             graveness(of.handler));
    for (const auto& [payload, each] : of.for_payload) {
        const std::string text{reinterpret_cast<const char*>(payload.data()), payload.size()};
        to.entry("", story(each, of, "The payload " + cut_to(harmless(json::to_text(text)), 40)),
                 graveness(each));
    }
    to.entry("exceptions", story(of.throws, of, "A message whose handler always throws"),
             graveness(of.throws));
    to.entry("undecodable", undecodable(of),
             of.undecodable ? graveness(*of.undecodable) : colour::none);
    to.entry("counting", counting(of), colour::none);
    to.entry("delays", delaying(of), colour::none);
    to.entry("a kill", killing(of), colour::none);
    to.entry("crash loop", crashing(of), graveness(of.crashes));
    to.entry("a stop", stopping(of), colour::none);
}

}  // namespace

std::string as_text(const scenario& told, const explanation& what, bool is_coloured) {
    page_of_text page{is_coloured};
    const auto count = what.subscriptions.size();
    const auto counted = std::to_string(count) + (count == 1 ? " subscription" : " subscriptions");
    if (!told.name.empty()) page.heading(told.name, "");
    page.heading("", counted + " on the transport " + told.transport);
    for (const auto& each : what.subscriptions) add(page, each);
    return page.take();
}

}  // namespace waybill::scenario
