#include "demo/closing.hpp"

#include "messages.hpp"
#include "service.hpp"
#include <waybill/codec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace demo {

namespace {

/// More of one payload than this tells nobody anything.
constexpr std::size_t longest_payload = 4096;

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

void say_headers(screen& on, const waybill::headers& with, bool added) {
    for (const auto& each : with) {
        if (each.name.starts_with("waybill-") != added) continue;
        on.say_wrapped({{fmt::format("  {:<23} ", printable(each.name, 100)), look::faint}},
                       printable(each.value.to_string(), longest_payload), 4);
    }
}

void say_payload(screen& on, std::span<const std::byte> payload) {
    const auto cbor = waybill::decode<payments::payment_request>(waybill::codecs::cbor(), payload);
    if (!cbor) {
        on.say(fmt::format("payload, {}:", plural(payload.size(), "byte", "bytes")), look::faint);
        on.say_wrapped({{"  "}}, printable(text_of(payload), longest_payload), 2);
        return;
    }
    on.say(
        fmt::format("payload, {} of CBOR, here as JSON:", plural(payload.size(), "byte", "bytes")),
        look::faint);
    const auto json = waybill::encode(waybill::codecs::json(), *cbor);
    on.say_wrapped({{"  "}},
                   json ? printable(text_of(*json), longest_payload) : json.error().message(), 2);
}

void say_open(screen& on, std::span<const std::size_t> lines) {
    constexpr std::size_t enough = 20;
    if (lines.empty()) return;
    std::string text;
    for (const auto line : lines.first(std::min(lines.size(), enough))) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", line);
    }
    if (lines.size() > enough) text += fmt::format(" and {} more", lines.size() - enough);
    on.say_wrapped({{"Without an end, by line: "}}, text, 2);
}

std::string pace_in_words(pace at) {
    if (at.is_virtual) return "on a virtual clock";
    if (at.speed == 1) return "in real time";
    return fmt::format("at {} times the speed", at.speed);
}

}  // namespace

void say_opening(screen& on, const std::string& input, std::size_t lines, pace at) {
    on.say({{"Waybill", look::strong}, {": the payments service", look::plain}});
    on.say(
        fmt::format("{} from {}, {}. The provider is busy, down, or declines.",
                    plural(lines, "request", "requests"), printable(input, 200), pace_in_words(at)),
        look::faint);
    on.say("");
}

void say_ledger(screen& on, const show_result& of) {
    on.say("");
    if (on.has_colours() && of.counted.in != 0) {
        frame in;
        in.columns = on.columns() - 1;
        in.marks = &on.marks();
        on.say(draw_bar(of.counted, in));
    }
    on.say(draw_ledger(of.counted));
    const auto work =
        fmt::format("{} of {} in {:.1f} s.", plural(of.deliveries, "delivery", "deliveries"),
                    plural(of.counted.in, "message", "messages"),
                    std::chrono::duration<double>{of.took}.count());
    if (of.counted.balances()) {
        on.say_wrapped({}, work + " Nothing was lost.", 0);
    } else {
        on.say({{work, look::faint}, {" The ledger does not balance.", look::dead}});
        say_open(on, of.open);
    }
}

void say_dead_letter(screen& on, const dead_arrived& letter) {
    on.say("");
    on.say({{"One dead letter", look::strong},
            {fmt::format(", as {} has it:", payments::dead_letter), look::plain}});
    on.say("headers, as they arrived:", look::faint);
    say_headers(on, letter.with, false);
    say_payload(on, letter.payload);
    on.say("headers that Waybill added:", look::faint);
    say_headers(on, letter.with, true);
}

void say_next(screen& on) {
    const auto hint = [&](std::string_view command, std::string_view what) {
        on.say_wrapped({{fmt::format("  {:<29} ", command), look::strong}}, what, 4);
    };
    on.say("");
    on.say("Try next", look::strong);
    hint("make demo CLOCK=virtual", "the same ledger, without the waiting");
    hint("make demo INPUT=mine.jsonl",
         "a copy of requests.jsonl with other answers in \"provider\"");
    hint("build/bin/payments describe", "what charge.cpp and service.hpp come to");
}

}  // namespace demo
