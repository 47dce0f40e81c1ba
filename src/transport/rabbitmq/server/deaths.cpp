#include "transport/rabbitmq/server/deaths.hpp"

#include "transport/rabbitmq/server/table.hpp"
#include "transport/rabbitmq/values.hpp"

#include <algorithm>
#include <utility>

namespace waybill::rabbitmq::fake {
namespace {

field_writer table_of(const death& of, bool is_own_record) {
    field_writer table;
    const auto expiration = [&] {
        if (!of.original_expiration.empty())
            table.text("original-expiration", of.original_expiration);
    };
    if (is_own_record) expiration();
    table.integer("count", of.count);
    table.text("reason", of.reason);
    table.text("queue", of.queue);
    if (of.seconds != 0) table.seconds("time", of.seconds);
    table.text("exchange", of.exchange);
    table.texts("routing-keys", of.keys);
    if (!is_own_record) expiration();
    return table;
}

death death_in(std::span<const std::byte> table) {
    death found;
    for (const auto& each : fields_of_table(table)) {
        if (each.name == "queue") found.queue = each.text().value_or("");
        if (each.name == "reason") found.reason = each.text().value_or("");
        if (each.name == "exchange") found.exchange = each.text().value_or("");
        if (each.name == "original-expiration")
            found.original_expiration = each.text().value_or("");
        if (each.name == "routing-keys") found.keys = texts_of_array(each.value);
        if (each.name == "count") found.count = each.integer().value_or(1);
        if (each.name == "time")
            found.seconds = static_cast<std::uint64_t>(each.integer().value_or(0));
    }
    return found;
}

std::vector<death> deaths_in(const headers& all) {
    std::vector<death> found;
    const auto header = find_exact(all, "x-death");
    if (!header || wire_type_of(*header) != wire_type::array) return found;
    for (const auto& each : fields_of_array(*header->bytes())) {
        if (each.type == 'F') found.push_back(death_in(each.value));
    }
    return found;
}

void record(std::vector<death>& deaths, death latest) {
    const auto same = std::ranges::find_if(deaths, [&](const death& each) {
        return each.queue == latest.queue && each.reason == latest.reason;
    });
    if (same != deaths.end()) {
        ++same->count;
        std::rotate(deaths.begin(), same, same + 1);
    } else {
        deaths.insert(deaths.begin(), std::move(latest));
    }
}

void write_deaths(headers& into, const std::vector<death>& deaths, bool is_own_record) {
    field_writer array;
    for (const auto& each : deaths) array.table(table_of(each, is_own_record));
    into.set("x-death", as(wire_type::array, header_value{array.bytes()}));
}

void write_names(headers& into, std::string_view which, const death& of) {
    const auto prefix = "x-" + std::string{which} + "-death-";
    into.set(prefix + "exchange", std::string_view{of.exchange});
    into.set(prefix + "queue", std::string_view{of.queue});
    into.set(prefix + "reason", std::string_view{of.reason});
}

/// The keys that a record names: BCC stays hidden.
std::vector<std::string> shown_keys(const message& of) {
    std::vector<std::string> keys;
    if (!of.keys.empty()) keys.push_back(of.keys.front());
    std::ranges::move(texts_of_header(of.with, "CC"), std::back_inserter(keys));
    return keys;
}

}  // namespace

message after_death(const message& of, std::string_view queue, std::string_view why,
                    const dead_letter_target& to, server_version version,
                    std::chrono::milliseconds wall) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wall).count();
    death latest{std::string{queue},
                 std::string{why},
                 of.exchange,
                 shown_keys(of),
                 1,
                 static_cast<std::uint64_t>(seconds),
                 std::string{of.with.text(property::expiration).value_or("")}};
    auto after = of;
    after.exchange = to.exchange;
    after.time_to_live.reset();
    after.with.remove(property::expiration);
    if (to.key) after.keys = {*to.key};

    const bool is_own_record = version != server_version::v3_10;
    // A key that is put in the place of its own takes CC along, until 3.10 with its header.
    if (to.key && !is_own_record) after.with.remove("CC");
    if (is_own_record) {
        write_names(after.with, "last", latest);
        if (after.deaths.empty()) write_names(after.with, "first", latest);
        record(after.deaths, std::move(latest));
        write_deaths(after.with, after.deaths, true);
    } else {
        if (!find_exact(of.with, "x-death")) write_names(after.with, "first", latest);
        auto deaths = deaths_in(of.with);
        record(deaths, std::move(latest));
        write_deaths(after.with, deaths, false);
    }
    sort_by_name(after.with, is_own_record);
    return after;
}

std::vector<death> deaths_of(const message& of, server_version version) {
    return version == server_version::v3_10 ? deaths_in(of.with) : of.deaths;
}

bool is_cycle(std::string_view queue, std::span<const death> deaths) {
    for (const auto& each : deaths) {
        if (each.reason == reason::rejected) return false;
        if (each.queue == queue) return true;
    }
    return false;
}

}  // namespace waybill::rabbitmq::fake
