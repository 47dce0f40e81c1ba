#include "transport/rabbitmq/server/publishing.hpp"

#include "transport/rabbitmq/server/refusals.hpp"
#include "transport/rabbitmq/server/table.hpp"
#include "transport/rabbitmq/values.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace waybill::rabbitmq::fake {
namespace {

std::size_t most_bytes(const server_options& how) {
    const auto usual = how.version == server_version::v3_10 ? 128U : 16U;
    return how.most_message_bytes.value_or(std::size_t{usual} * 1024 * 1024);
}

std::optional<refusal> check_size(std::size_t size, const server_options& how) {
    const auto most = most_bytes(how);
    if (size <= most) return std::nullopt;
    const auto* which = how.version == server_version::v3_10 ? "max size " : "configured max size ";
    return precondition_failed("message size " + std::to_string(size) + " is larger than " + which +
                               std::to_string(most));
}

std::optional<refusal> check_exchange(const incoming& what, const vhost& in) {
    const auto* to = in.exchange(what.exchange);
    if (to == nullptr) return not_found("exchange", what.exchange, in.name());
    if (to->internal)
        return access_refused("cannot publish to internal " +
                              named("exchange", what.exchange, in.name()));
    return std::nullopt;
}

std::optional<refusal> add_keys(std::string_view header, const headers& from,
                                std::vector<std::string>& keys) {
    const auto found = find_exact(from, header);
    if (!found) return std::nullopt;
    if (wire_type_of(*found) != wire_type::array) {
        return precondition_failed("invalid message: {unacceptable_type_in_header,\"" +
                                   std::string{header} + "\"}");
    }
    std::ranges::move(texts_of_header(from, header), std::back_inserter(keys));
    return std::nullopt;
}

std::expected<std::optional<nanoseconds>, refusal> life_in(const headers& with) {
    const auto text = with.text(property::expiration);
    if (!text) return std::nullopt;
    constexpr std::uint64_t most = UINT32_MAX;
    std::uint64_t milliseconds = 0;
    const auto [end, problem] =
        std::from_chars(text->data(), text->data() + text->size(), milliseconds);
    if (problem != std::errc{} || end != text->data() + text->size() || milliseconds > most) {
        return std::unexpected(
            precondition_failed("invalid expiration '" + std::string{*text} + "': no_integer"));
    }
    return std::chrono::milliseconds{milliseconds};
}

}  // namespace

incoming::incoming(const publication& what)
    : exchange{what.exchange},
      key{what.key},
      with{headers::copy_of(what.packed_headers)},
      body{what.body.begin(), what.body.end()},
      mandatory{what.mandatory} {}

std::expected<message, refusal> accept(incoming what, const vhost& in, std::string_view user,
                                       const server_options& how) {
    if (auto no = check_size(what.body.size(), how)) return std::unexpected(*no);
    if (auto no = check_exchange(what, in)) return std::unexpected(*no);
    if (const auto says = what.with.text(property::user_id); says && *says != user) {
        return std::unexpected(
            precondition_failed("user_id property set to '" + std::string{*says} +
                                "' but authenticated user was '" + std::string{user} + "'"));
    }
    message made;
    made.keys.push_back(std::move(what.key));
    if (auto no = add_keys("CC", what.with, made.keys)) return std::unexpected(*no);
    if (auto no = add_keys("BCC", what.with, made.keys)) return std::unexpected(*no);
    auto life = life_in(what.with);
    if (!life) return std::unexpected(std::move(life.error()));
    made.time_to_live = *life;
    made.exchange = std::move(what.exchange);
    made.with = std::move(what.with);
    if (find_exact(made.with, "BCC")) made.with.remove("BCC");
    if (const auto mode = made.with.find(property::delivery_mode))
        made.is_persistent = mode->unsigned_integer() == 2U;
    if (const auto priority = made.with.find(property::priority)) {
        made.priority = static_cast<std::uint8_t>(
            std::min<std::uint64_t>(priority->unsigned_integer().value_or(0), 255));
    }
    made.body = std::move(what.body);
    if (how.version != server_version::v3_10) sort_by_name(made.with, true);
    return made;
}

}  // namespace waybill::rabbitmq::fake
