// What happens, step by step.
#include "scenario/mistakes.hpp"
#include "scenario/reading.hpp"

#include <array>

namespace waybill::scenario {
namespace {

using maybe_step = std::optional<step::any>;

maybe_step publish(const entry& from, reading& in) {
    maybe_step made;
    from.object([&](fields& one) { made = read_publish(one, in); });
    return made;
}

maybe_step advance(const entry& from, reading&) {
    return step::advance{from.duration().value_or(nanoseconds{0})};
}

maybe_step stop(const entry& from, reading&) {
    step::stop made;
    from.object([&](fields& one) { made.timeout = one.duration("timeout"); });
    return made;
}

maybe_step fail_publishes(const entry& from, reading& in) {
    step::fail_publishes made;
    from.object([&](fields& one) {
        made.to = read_address(one.need("to"), in).value_or("");
        made.times = one.count("times").value_or(1);
    });
    return made;
}

maybe_step remove(const entry& from, reading& in) {
    step::remove made;
    from.object(
        [&](fields& one) { made.address = read_address(one.need("address"), in).value_or(""); });
    return made;
}

template <class Step>
maybe_step plain(const entry& from, reading&) {
    from.object([](fields&) {});
    return Step{};
}

struct step_reader {
    std::string_view name;
    maybe_step (*read)(const entry& from, reading& in);
};

constexpr std::array<step_reader, 10> readers{{
    {"publish", publish},
    {"advance", advance},
    {"stop", stop},
    {"crash", plain<step::crash>},
    {"restart", plain<step::restart>},
    {"drop_connection", plain<step::drop_connection>},
    {"reconnect", plain<step::reconnect>},
    {"fail_publishes", fail_publishes},
    {"delete", remove},
    {"restart_broker", plain<step::restart_broker>},
}};

void read_step(fields& from, reading& in, std::size_t members, std::vector<step::any>& into) {
    for (const auto& each : readers) {
        const auto at = from.take(each.name);
        if (!at) continue;
        if (auto made = each.read(*at, in)) into.push_back(std::move(*made));
    }
    if (members == 0) from.wrong(R"(a step is one of "publish", "advance", "stop" and so on)");
    if (members > 1) from.wrong("a step is one thing, and here are " + std::to_string(members));
}

}  // namespace

void read_steps(const entry& from, reading& in, std::vector<step::any>& into) {
    const auto* items = from.is().items();
    if (items != nullptr && items->size() > most_steps) {
        return from.wrong("there are " + std::to_string(items->size()) + " steps, and at most " +
                          std::to_string(most_steps) + " are played");
    }
    from.list([&](const entry& each) {
        each.object([&](fields& one) { read_step(one, in, each.is().members()->size(), into); });
    });
}

}  // namespace waybill::scenario
