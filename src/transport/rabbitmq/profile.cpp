#include "transport/rabbitmq/profile.hpp"

#include "transport/rabbitmq/waits.hpp"

#include <array>
#include <charconv>

namespace waybill::rabbitmq {
namespace {

/// Of quorum queues from 4.0 on; the most careful guess where the version is not known.
constexpr std::uint32_t default_limit = 20;

/// What a copy does not carry: the server's own notes on its way, what would send it elsewhere, and
/// what would make it expire anew. Those of the record of deaths stand last.
constexpr std::array<detail::copy_exception, 12> not_copied{{
    {"x-delivery-count"},
    {"x-acquired-count"},
    {property::expiration},
    {"CC", known_header::cc},
    {"BCC", known_header::cc},
    {"x-death"},
    {"x-first-death-queue"},
    {"x-first-death-reason"},
    {"x-first-death-exchange"},
    {"x-last-death-queue"},
    {"x-last-death-reason"},
    {"x-last-death-exchange"},
}};
constexpr std::size_t deaths = 7;

std::uint32_t limit_of(const queue::data& what, std::optional<version_number> version) {
    if (what.delivery_limit) return *what.delivery_limit;
    return !version || *version >= limits_by_default ? default_limit : 0;
}

}  // namespace

std::optional<version_number> read_version(std::string_view text) {
    version_number read;
    const auto* const end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, read.major);
    if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
    const auto minor = std::from_chars(major.ptr + 1, end, read.minor);
    if (minor.ec != std::errc{}) return std::nullopt;
    return read;
}

detail::capabilities capabilities_for(const queue::data& what, waits delays,
                                      std::optional<version_number> version) {
    detail::capabilities can;
    const bool counts = what.kind == queue_type::quorum;
    const bool failures = counts && version && *version >= counts_failures;
    can.requeue = counts ? detail::requeue_support::counted : detail::requeue_support::uncounted;
    can.counts = failures ? detail::count_support::failures
                 : counts ? detail::count_support::returns
                          : detail::count_support::none;
    can.delays_copies = delays == waits::in_queues;
    if (can.delays_copies) can.shortest_wait = shortest_stretch;
    can.spent_is_rejected = true;
    can.keeps_rejected = what.has_dead_letter;
    can.crash_is_counted = counts;
    can.stop_is_counted = counts && !failures;
    can.copies_to_source = true;
    can.fixed_wait = !what.legacy_retry.empty();
    // Also of what is said to be classic: it may be declared elsewhere, or by the server's default.
    can.delivery_limit = limit_of(what, version);
    can.not_copied = what.keeps_deaths ? std::span{not_copied}.first(not_copied.size() - deaths)
                                       : std::span{not_copied};
    return can;
}

}  // namespace waybill::rabbitmq
