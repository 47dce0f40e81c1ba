#include "scenario/read.hpp"

#include "scenario/mistakes.hpp"
#include "scenario/reading.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace waybill::scenario {
namespace {

/// Those of the format, built or not.
constexpr std::array<std::string_view, 5> all_transports{"memory", "rabbitmq", "amqp1", "mqtt",
                                                         "pulsar"};

const kit* read_transport(fields& from, scenario& into) {
    const auto at = from.need("transport");
    const auto name = at ? at->text() : std::nullopt;
    if (!name) return nullptr;
    into.transport = *name;
    const auto* const found = kit_for(*name);
    if (found != nullptr) return found;
    if (std::ranges::find(all_transports, *name) != all_transports.end()) {
        at->wrong("transport " + quoted(*name) +
                  " is not built yet; there is: " + transports_in_words());
    } else {
        std::vector<std::string_view> built;
        std::ranges::copy_if(all_transports, std::back_inserter(built),
                             [](auto each) { return kit_for(each) != nullptr; });
        at->wrong(quoted(*name) + " is no transport" + hint_for(*name, built));
    }
    return nullptr;
}

void read_broker(fields& from, const reading& in, scenario& into) {
    static const json::value nothing{json::object{}};
    std::vector<mistake> none;
    const auto at = from.take("broker").value_or(entry{nothing, "$", none});
    if (in.transport == nullptr) return;
    at.object([&](fields& options) { into.broker = in.transport->read_broker(options); });
}

void read_file(fields& from, scenario& into) {
    into.name = from.text("name").value_or("");
    reading in{.transport = read_transport(from, into)};
    read_broker(from, in, into);
    in.broker = into.broker.get();
    check_delay_store(from.take("delay_store"), in);
    if (const auto all = from.take("subscriptions")) {
        all->list([&](const entry& each) {
            each.object(
                [&](fields& one) { into.subscriptions.push_back(read_subscription(one, in)); });
        });
    }
    if (const auto all = from.take("steps")) read_steps(*all, in, into.steps);
    if (const auto at = from.take("expect")) {
        at->object([&](fields& wanted) { into.expect = read_expectation(wanted); });
    }
}

std::unexpected<std::vector<mistake>> refused(std::string why) {
    return std::unexpected(std::vector<mistake>{{"$", std::move(why)}});
}

}  // namespace

std::expected<scenario, std::vector<mistake>> read(std::string_view text) {
    if (text.size() > most_bytes) {
        return refused("the file is longer than the " + std::to_string(most_bytes) +
                       " bytes that are read at most");
    }
    const auto file = json::parse(text);
    if (!file) return refused("this is no JSON: " + file.error());
    std::vector<mistake> mistakes;
    scenario made;
    entry{*file, "$", mistakes}.object([&](fields& from) { read_file(from, made); });
    if (!mistakes.empty()) return std::unexpected(in_order_of(*file, std::move(mistakes)));
    return made;
}

void check_delay_store(const std::optional<entry>& from, const reading& in) {
    if (!from) return;
    if (from->is().members() != nullptr) {
        from->object([](fields& store) {
            const auto file = store.need("sqlite");
            if (file && file->text()) file->wrong("a delay store in SQLite is not built yet");
        });
        return;
    }
    if (!from->choice({"memory"}) || in.broker == nullptr) return;
    if (in.transport->delays_by_itself(*in.broker)) {
        from->wrong(
            "the server of this file delays by itself, and a delay store in its place is not built "
            "yet: leave it out");
    }
}

}  // namespace waybill::scenario
