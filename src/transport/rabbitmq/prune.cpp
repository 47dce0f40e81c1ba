#include "transport/rabbitmq/prune.hpp"

#include "transport/rabbitmq/topology.hpp"
#include <waybill/outcome.hpp>

#include <algorithm>
#include <array>

namespace waybill::rabbitmq {
namespace {

constexpr channel_id asking = 1;
constexpr std::array both_types{queue_type::classic, queue_type::quorum};

template <class T>
using result = std::expected<T, error>;

bool is_idle(const queue_state& one) { return one.messages == 0 && one.consumers == 0; }

/// Asks on one channel, which a refusal closes and the next question opens again.
class visitor {
public:
    visitor(wire& on, const prune_settings& how) : on_{on}, how_{how}, spans_{how.spans} {
        std::ranges::sort(spans_);
        spans_.erase(std::ranges::unique(spans_).begin(), spans_.end());
    }
    ~visitor() {
        if (is_open_) (void)on_.close_channel(asking);
    }
    visitor(const visitor&) = delete;
    visitor& operator=(const visitor&) = delete;

    /// Nothing: there is no such queue. A quorum queue that does not answer the server within 250
    /// ms is said to be empty and unread, so that is believed only the third time.
    result<std::optional<queue_state>> look(const std::string& name) {
        if (auto ready = open(); !ready) return std::unexpected(std::move(ready.error()));
        queue_spec wanted;
        wanted.name = name;
        auto there = on_.declare(asking, wanted, true);
        for (int once_more = 0; once_more < 2 && there && is_idle(*there); ++once_more) {
            there = on_.declare(asking, wanted, true);
        }
        if (there) return *there;
        is_open_ = false;
        if (there.error().code == 404) return std::nullopt;
        return std::unexpected(explain_refusal(there.error(), "queue " + name));
    }

    /// It is gone, or the server's reason to keep it is written down.
    result<void> remove(found_queue& one) {
        if (auto ready = open(); !ready) return ready;
        const bool only_empty = one.type == queue_type::classic;
        const auto done = on_.delete_queue(asking, one.name, only_empty, only_empty);
        one.is_deleted = done.has_value();
        if (done) {
            one.gone_along = *done;
            return {};
        }
        is_open_ = false;
        if (is_gone(done.error())) {
            return std::unexpected(explain_refusal(done.error(), "queue " + one.name));
        }
        one.kept = done.error().text;
        return {};
    }

    result<void> find(const std::string& origin, std::vector<found_queue>& into);
    void expect(std::size_t origins) { all_ = origins * both_types.size() * spans_.size(); }

private:
    result<void> open() {
        if (is_open_) return {};
        const auto done = on_.open_channel(asking);
        if (!done) return std::unexpected(explain_refusal(done.error(), "the connection"));
        is_open_ = true;
        return {};
    }

    wire& on_;
    const prune_settings& how_;
    std::vector<milliseconds> spans_;
    std::size_t asked_ = 0;
    std::size_t all_ = 0;
    bool is_open_ = false;
};

result<void> visitor::find(const std::string& origin, std::vector<found_queue>& into) {
    for (const auto type : both_types) {
        for (const auto span : spans_) {
            auto name = waiting_queue_name(span, type, how_.vhost, origin);
            const auto state = look(name);
            if (!state) return std::unexpected(state.error());
            if (how_.progress) how_.progress(++asked_, all_);
            if (!*state) continue;
            into.push_back({std::move(name), origin, span, type, (*state)->messages, false, 0, {}});
        }
    }
    return {};
}

result<std::vector<found_queue>> find_by(visitor& by, std::span<const std::string> origins) {
    std::vector<found_queue> all;
    by.expect(origins.size());
    for (const auto& each : origins) {
        const auto read = read_address(each);
        if (!read) {
            return std::unexpected(
                error{errc::argument, each, read.error(), "name a queue, as a service reads it"});
        }
        const auto origin = write_address(read->exchange, read->key);
        if (auto done = by.find(origin, all); !done) return std::unexpected(done.error());
    }
    return all;
}

/// Why what waits for this origin may not be judged by its emptiness; nothing: it may.
result<std::string> reason_to_keep(visitor& by, const std::string& origin) {
    const auto where = read_address(origin);
    if (!where->is_queue()) {
        return "what waits goes to an exchange, and nobody can say who reads behind it";
    }
    const auto state = by.look(where->key);
    if (!state) return std::unexpected(state.error());
    // What cannot be handed over there is held by the waiting queue, and counted nowhere.
    if (!*state)
        return "its origin " + where->key + " is not there, so what has waited may be held";
    if ((*state)->consumers != 0) {
        return "its origin " + where->key + " has " + std::to_string((*state)->consumers) +
               " consumer" + ((*state)->consumers == 1 ? "" : "s");
    }
    if ((*state)->messages != 0) {
        return "its origin " + where->key +
               " is not empty, and a full one takes nothing, so what has waited may be held";
    }
    return std::string{};
}

std::string holds(std::uint32_t messages) {
    return "it holds " + std::to_string(messages) + " message" + (messages == 1 ? "" : "s");
}

result<void> remove_classic(visitor& by, std::vector<found_queue>& all) {
    for (auto& each : all) {
        if (each.type != queue_type::classic) continue;
        if (each.messages != 0) {
            each.kept = holds(each.messages);
            continue;
        }
        if (auto done = by.remove(each); !done) return done;
    }
    return {};
}

bool is_in_question(const found_queue& one) {
    return one.type == queue_type::quorum && one.kept.empty();
}

/// Says whether it is empty and its origin unread; where not, why it is kept.
result<void> judge(visitor& by, found_queue& one, milliseconds longest) {
    const auto state = by.look(one.name);
    if (!state) return std::unexpected(state.error());
    auto reason = reason_to_keep(by, one.origin);
    if (!reason) return std::unexpected(std::move(reason.error()));
    one.messages = *state ? (*state)->messages : 0;
    if (!*state) {
        one.kept = "it is gone meanwhile";
    } else if (one.messages != 0) {
        one.kept = holds(one.messages);
    } else if (!reason->empty()) {
        one.kept = std::move(*reason);
    } else if (one.span > longest) {
        one.kept = "it must be empty for " + to_text(one.span) + ", and no more than " +
                   to_text(longest) + " is waited";
    }
    return {};
}

result<void> remove_quorum(visitor& by, std::vector<found_queue>& all, const prune_settings& how) {
    milliseconds longest{0};
    std::size_t empty = 0;
    for (auto& each : all) {
        if (!is_in_question(each)) continue;
        if (auto done = judge(by, each, how.longest_wait); !done) return done;
        if (!each.kept.empty()) continue;
        longest = std::max(longest, each.span);
        ++empty;
    }
    if (longest == longest.zero()) return {};
    how.pause(longest, empty);
    for (auto& each : all) {
        if (!is_in_question(each)) continue;
        if (auto done = judge(by, each, how.longest_wait); !done) return done;
        if (!each.kept.empty()) continue;
        if (auto done = by.remove(each); !done) return done;
    }
    return {};
}

}  // namespace

std::expected<std::vector<found_queue>, error> find_waiting_queues(
    wire& on, std::span<const std::string> origins, const prune_settings& how) {
    visitor by{on, how};
    return find_by(by, origins);
}

std::expected<std::vector<found_queue>, error> prune_waiting_queues(
    wire& on, std::span<const std::string> origins, const prune_settings& how) {
    visitor by{on, how};
    auto all = find_by(by, origins);
    if (!all) return all;
    if (auto done = remove_classic(by, *all); !done) return std::unexpected(done.error());
    if (auto done = remove_quorum(by, *all, how); !done) return std::unexpected(done.error());
    return all;
}

}  // namespace waybill::rabbitmq
