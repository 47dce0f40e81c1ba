#include "transport/rabbitmq/topology.hpp"

#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/mismatch.hpp"
#include "transport/rabbitmq/profile.hpp"
#include "transport/rabbitmq/waits.hpp"

#include <algorithm>
#include <string>

namespace waybill::rabbitmq {
namespace {

struct advice {
    errc code;
    std::string what;
    std::string fix;
};

std::string type_of_queue(const said_value& said) {
    return std::string{said.quoted().value_or("classic")};
}

advice of_another_type(const said_value& declared, const said_value& there) {
    const auto exists = type_of_queue(there);
    const auto fix =
        exists == "stream"
            ? "read another queue, as a stream gives nothing back, or delete it"
            : "say ." + exists + "() (with passive() and declared_elsewhere() too), or delete it";
    return {errc::refused,
            "its x-queue-type was declared with '" + type_of_queue(declared) +
                "', and what exists has '" + exists + "'",
            fix + " when nobody needs what it holds"};
}

/// `inequivalent arg 'x' ...: received <a> but current is <b>`, in our words.
advice mismatch_in_words(std::string_view text) {
    constexpr std::string_view fix =
        "declare what exists, or delete it when nobody needs what it holds, or say passive() or "
        "declared_elsewhere()";
    const auto said = read_mismatch(text);
    if (!said) return {errc::refused, std::string{text}, std::string{fix}};
    const auto declared = read_value(said->received);
    const auto there = read_value(said->current);
    if (said->argument == "x-queue-type") return of_another_type(declared, there);
    const bool types_differ =
        !declared.type.empty() && !there.type.empty() && declared.type != there.type;
    return {errc::refused,
            "its " + std::string{said->argument} + " was declared with " +
                std::string{types_differ ? said->received : declared.value} +
                ", and what exists has " + std::string{types_differ ? said->current : there.value},
            std::string{fix}};
}

advice advice_for(const refusal& why) {
    if (is_for_a_fault(why)) {
        return {
            errc::refused,
            "the server ended the connection for it: " + std::to_string(why.code) + ' ' + why.text,
            "say it in a way that this server takes; its log may say more"};
    }
    switch (why.code) {
        case 0:
        case 320:
            return {errc::connection, why.text.empty() ? "the connection fell" : why.text,
                    "it is tried again"};
        case 403:
            if (why.text.find("reserved prefix") != why.text.npos) {
                return {errc::refused, "the server keeps such names to itself: " + why.text,
                        "give it a name that does not begin with amq."};
            }
            return {errc::refused, "the server refuses access: " + why.text,
                    "give the user the right to it (rabbitmqctl set_permissions)"};
        case 404:
            return {errc::unroutable, "it does not exist: " + why.text,
                    "declare it, or start the service that does"};
        case 405:
            return {errc::refused, "another connection has it for itself: " + why.text,
                    "end the other reader, or do not read it exclusively"};
        case 406:
            return mismatch_in_words(why.text);
        default:
            return {errc::failed,
                    "the server answered " + std::to_string(why.code) + ": " + why.text,
                    "see the server's log"};
    }
}

std::string properties_in_words(bool durable, bool auto_delete, presence there,
                                const headers& arguments) {
    std::string text;
    if (!durable) text += ", transient";
    if (auto_delete) text += ", deletes itself";
    if (there == presence::passive) text += ", must be there";
    if (there == presence::elsewhere) text += ", declared elsewhere";
    for (const auto& each : arguments) {
        if (each.name == "x-queue-type") continue;
        text += ", ";
        text += each.name;
        text += ' ';
        text += each.value.to_string();
    }
    return text;
}

std::string bindings_in_words(const std::vector<binding>& all) {
    std::string text;
    for (const auto& each : all) {
        text += text.empty() ? ", bound to " : " and to ";
        text += each.from;
        if (!each.key.empty()) text += " by " + each.key;
        for (const auto& argument : each.arguments) {
            text += ' ';
            text += argument.name;
            text += '=' + argument.value.to_string();
        }
    }
    return text;
}

/// The queues that are made when a retry is to wait. Empty: none of what is read here waits in one.
std::string waits_in_words(const broker::data& what, const source& read) {
    const auto& said = said_of(read);
    if (what.delays != waits::in_queues || !what.connection || !said.legacy_retry.empty())
        return {};
    const auto kind = type_of_waits(said.spec);
    auto name = waiting_queue_name(milliseconds{0}, kind, what.connection->vhost,
                                   write_address("", read.name));
    name.replace(name.find(".0."), 3, ".<ms>.");
    return "queue " + name + " (" + std::string{name_of(kind)} + "), made when a retry of " +
           read.name + " waits so long";
}

}  // namespace

error explain_refusal(const refusal& why, std::string where) {
    auto said = advice_for(why);
    return {said.code, std::move(where), std::move(said.what), std::move(said.fix)};
}

std::vector<std::string> in_words(const broker::data& what, std::span<const source* const> read) {
    std::vector<std::string> lines;
    for (const auto& each : what.exchanges) {
        const auto& said = each.said();
        lines.push_back("exchange " + said.spec.name + " (" + said.spec.type +
                        properties_in_words(said.spec.durable, said.spec.auto_delete, said.there,
                                            said.spec.arguments) +
                        ")" + bindings_in_words(said.bindings));
    }
    const auto add = [&](const queue::data& said) {
        const auto line = "queue " + said.spec.name + " (" + std::string{name_of(said.kind)} +
                          (said.spec.exclusive ? ", exclusive" : "") +
                          properties_in_words(said.spec.durable, said.spec.auto_delete, said.there,
                                              said.spec.arguments) +
                          ")" + bindings_in_words(said.bindings);
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    };
    for (const auto& each : what.queues) add(each.said());
    for (const auto* each : read) {
        if (each->details) add(said_of(*each));
    }
    for (const auto* each : read) {
        const auto line = waits_in_words(what, *each);
        if (!line.empty() && std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
    return lines;
}

}  // namespace waybill::rabbitmq
