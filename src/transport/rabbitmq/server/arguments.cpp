#include "transport/rabbitmq/server/arguments.hpp"

#include "transport/rabbitmq/server/known_arguments.hpp"
#include "transport/rabbitmq/server/refusals.hpp"
#include "transport/rabbitmq/server/table.hpp"

#include <algorithm>
#include <string>

namespace waybill::rabbitmq::fake {
namespace {

constexpr std::int64_t default_delivery_limit = 20;  // of quorum queues, from 4.0 on

constexpr std::string_view name_of(kind type) noexcept {
    return type == kind::classic ? "classic" : type == kind::quorum ? "quorum" : "stream";
}

/// What is wrong with an argument's value, in the server's words; empty when nothing is.
std::string wrong(const known_argument& about, const header_value& value) {
    switch (about.what) {
        case wants::text:
            return {};
        case wants::mode: {
            const auto mode = value.text().value_or("");
            if (about.name == "x-overflow") {
                return mode == "drop-head" || mode == "reject-publish" ||
                               mode == "reject-publish-dlx"
                           ? ""
                           : "invalid_overflow";
            }
            return mode == "at-least-once" || mode == "at-most-once" ? "" : "invalid_dlx_strategy";
        }
        case wants::yes_or_no:
            if (value.boolean()) return {};
            return "{unacceptable_type," + std::string{type_name(value)} + "}";
        default:
            break;
    }
    const auto number = value.integer();
    if (!number) return "\"expected integer, got " + std::string{type_name(value)} + "\"";
    if (*number < 0 && about.what != wants::any_number)
        return "{value_negative," + std::to_string(*number) + "}";
    if (*number == 0 && about.what == wants::number_above_0) return "{value_zero,0}";
    return {};
}

std::optional<refusal> check_values(const headers& arguments, kind type, const std::string& where) {
    for (const auto& each : arguments) {
        const auto about = std::ranges::find(known_arguments, each.name, &known_argument::name);
        if (about == known_arguments.end()) continue;
        const auto name = "invalid arg '" + std::string{each.name} + "' for " + where;
        if (!about->is_known_to(type)) {
            return precondition_failed(name + " of queue type rabbit_" +
                                       std::string{name_of(type)} + "_queue");
        }
        if (about->what == wants::text && !each.value.text()) {
            return precondition_failed("invalid type '" + std::string{type_name(each.value)} +
                                       "' for arg '" + std::string{each.name} + "' in " + where);
        }
        if (auto why = wrong(*about, each.value); !why.empty())
            return precondition_failed(name + ": " + why);
    }
    if (find_exact(arguments, "x-dead-letter-routing-key") &&
        !find_exact(arguments, "x-dead-letter-exchange")) {
        return precondition_failed("invalid arg 'x-dead-letter-routing-key' for " + where +
                                   ": routing_key_but_no_dlx_defined");
    }
    return std::nullopt;
}

std::optional<refusal> check_properties(const queue_spec& what, kind type, const std::string& where,
                                        const server_options& how) {
    const auto refuse = [&](std::string_view property) {
        return precondition_failed("invalid property '" + std::string{property} + "' for " + where);
    };
    if (type != kind::classic) {
        if (!what.durable) return refuse("non-durable");
        if (what.exclusive) return refuse("exclusive-owner");
        if (what.auto_delete) return refuse("auto-delete");
    } else if (!what.durable && !what.exclusive && how.refuses_transient_queues) {
        return refusal{541,
                       "INTERNAL_ERROR - Feature `transient_nonexcl_queues` is deprecated. By "
                       "default, this feature is not permitted anymore."};
    }
    return std::nullopt;
}

std::optional<nanoseconds> milliseconds_in(const headers& arguments, std::string_view name) {
    const auto value = find_exact(arguments, name);
    if (!value) return std::nullopt;
    constexpr std::int64_t most = INT64_MAX / 1'000'000 / 4;
    return std::chrono::milliseconds{std::min(value->integer().value_or(0), most)};
}

std::optional<std::uint64_t> count_in(const headers& arguments, std::string_view name) {
    const auto value = find_exact(arguments, name);
    return value ? value->unsigned_integer() : std::nullopt;
}

std::string_view text_in(const headers& arguments, std::string_view name) {
    const auto value = find_exact(arguments, name);
    return value ? value->text().value_or("") : "";
}

/// Before 4.0 a negative limit is one that every return exceeds.
std::optional<std::int64_t> limit_of(const headers& arguments, server_version version) {
    const auto said = find_exact(arguments, "x-delivery-limit");
    if (version == server_version::v3_10) return said ? said->integer() : std::nullopt;
    const auto limit =
        said ? said->integer().value_or(default_delivery_limit) : default_delivery_limit;
    return limit < 0 ? std::nullopt : std::optional{limit};
}

}  // namespace

std::expected<queue_policy, refusal> policy_of(const queue_spec& what, std::string_view vhost,
                                               const server_options& how) {
    const auto where = named("queue", what.name, vhost);
    const auto& arguments = what.arguments;
    queue_policy policy;
    const auto type = queue_type_in(arguments);
    const auto found = kind_named(type);
    if (!found) {
        return std::unexpected(precondition_failed("invalid arg 'x-queue-type' for " + where +
                                                   ": \"unsupported queue type '" +
                                                   std::string{type} + "'\""));
    }
    policy.type = *found;
    if (auto no = check_properties(what, policy.type, where, how)) return std::unexpected(*no);
    if (auto no = check_values(arguments, policy.type, where)) return std::unexpected(*no);

    policy.time_to_live = milliseconds_in(arguments, "x-message-ttl");
    policy.expires = milliseconds_in(arguments, "x-expires");
    policy.most_messages = count_in(arguments, "x-max-length");
    policy.most_bytes = count_in(arguments, "x-max-length-bytes");
    const auto when_full = text_in(arguments, "x-overflow");
    const bool is_quorum = policy.type == kind::quorum;
    if (when_full == "reject-publish") policy.when_full = overflows::reject_publish;
    // Quorum queues take the word and drop their heads.
    if (when_full == "reject-publish-dlx" && !is_quorum)
        policy.when_full = overflows::reject_publish_dlx;
    if (find_exact(arguments, "x-dead-letter-exchange")) {
        auto& target = policy.dead_letter.emplace();
        target.exchange = text_in(arguments, "x-dead-letter-exchange");
        if (find_exact(arguments, "x-dead-letter-routing-key"))
            target.key = text_in(arguments, "x-dead-letter-routing-key");
    }
    policy.is_at_least_once = is_quorum && policy.dead_letter &&
                              text_in(arguments, "x-dead-letter-strategy") == "at-least-once" &&
                              policy.when_full == overflows::reject_publish;
    if (const auto one = find_exact(arguments, "x-single-active-consumer"))
        policy.has_single_active_consumer = one->boolean().value_or(false);
    if (is_quorum) policy.delivery_limit = limit_of(arguments, how.version);
    policy.most_priority = static_cast<std::uint8_t>(
        std::min<std::uint64_t>(count_in(arguments, "x-max-priority").value_or(0), 255));
    return policy;
}

}  // namespace waybill::rabbitmq::fake
