/// The parts of the reader of scenario files: each reads one part of a file into plain data, and
/// writes what is wrong into the book of its entry. What they return after a mistake has no
/// meaning.
#pragma once

#include "scenario/fields.hpp"
#include "scenario/kit.hpp"
#include "scenario/scenario.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::scenario {

/// What the parts need to know of the whole file.
struct reading {
    /// Null when the file names no transport that there is: what depends on one is not looked at.
    const kit* transport = nullptr;
    const broker_options* broker = nullptr;  ///< null where the transport is
    std::uint64_t messages = 0;              ///< that the steps so far publish
};

[[nodiscard]] subscription read_subscription(fields& from, const reading& in);
void read_steps(const entry& from, reading& in, std::vector<step::any>& into);
[[nodiscard]] expectation read_expectation(fields& from);

/// At the top of the file and in a subscription.
void check_delay_store(const std::optional<entry>& from, const reading& in);
/// `codec` and `message`.
void read_codec(fields& from, subscription& into);
/// The list under `handler`.
[[nodiscard]] answers read_answers(const entry& from, const reading& in);
/// An answer that is one text, as "retry_after 30s".
[[nodiscard]] std::optional<answer> answer_of(std::string_view text);
[[nodiscard]] backoff read_backoff(const entry& from);
[[nodiscard]] std::optional<failure_policy> read_failure_policy(const entry& from);

[[nodiscard]] step::publish read_publish(fields& from, reading& in);
/// `payload` or `payload_base64`, and `value` where there is a place for it; at most one of them.
[[nodiscard]] bytes read_payload(fields& from, std::optional<json::value>* value = nullptr);
/// A list of pairs.
[[nodiscard]] headers read_headers(const entry& from, const reading& in);
/// Where messages go; nothing where it is absent.
[[nodiscard]] std::optional<std::string> read_address(const std::optional<entry>& from,
                                                      const reading& in);

[[nodiscard]] bytes bytes_of(std::string_view text);
[[nodiscard]] std::optional<bytes> read_base64(const entry& from);

}  // namespace waybill::scenario
