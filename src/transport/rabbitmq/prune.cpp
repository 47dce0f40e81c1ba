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

    /// Nothing: there is no such queue.
    result<std::optional<queue_state>> look(const std::string& name) {
        if (auto ready = open(); !ready) return std::unexpected(std::move(ready.error()));
        queue_spec wanted;
        wanted.name = name;
        const auto there = on_.declare(asking, wanted, true);
        if (there) return *there;
        is_open_ = false;
        if (there.error().code == 404) return std::nullopt;
        return std::unexpected(explain_refusal(there.error(), "queue " + name));
    }

    /// Nothing: it is gone. Else the server's reason to keep it.
    result<std::string> remove(const std::string& name, bool only_empty) {
        if (auto ready = open(); !ready) return std::unexpected(std::move(ready.error()));
        const auto done = on_.delete_queue(asking, name, only_empty, only_empty);
        if (done) return std::string{};
        is_open_ = false;
        if (done.error().code == 0) {
            return std::unexpected(explain_refusal(done.error(), "queue " + name));
        }
        return done.error().text;
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
            into.push_back({std::move(name), origin, span, type, (*state)->messages, false, {}});
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
        auto said = by.remove(each.name, true);
        if (!said) return std::unexpected(std::move(said.error()));
        each.is_deleted = said->empty();
        each.kept = std::move(*said);
    }
    return {};
}

/// Says of each that is still in question whether it is empty and its origin unread.
result<void> judge_quorum(visitor& by, std::vector<found_queue>& all, milliseconds longest) {
    for (auto& each : all) {
        if (each.type != queue_type::quorum || !each.kept.empty()) continue;
        const auto state = by.look(each.name);
        if (!state) return std::unexpected(state.error());
        auto reason = reason_to_keep(by, each.origin);
        if (!reason) return std::unexpected(std::move(reason.error()));
        each.messages = *state ? (*state)->messages : 0;
        if (!*state) {
            each.kept = "it is gone meanwhile";
        } else if (each.messages != 0) {
            each.kept = holds(each.messages);
        } else if (!reason->empty()) {
            each.kept = std::move(*reason);
        } else if (each.span > longest) {
            each.kept = "it must be empty for " + to_text(each.span) + ", and no more than " +
                        to_text(longest) + " is waited";
        }
    }
    return {};
}

result<void> remove_quorum(visitor& by, std::vector<found_queue>& all, const prune_settings& how) {
    if (auto done = judge_quorum(by, all, how.longest_wait); !done) return done;
    milliseconds longest{0};
    std::size_t empty = 0;
    for (const auto& each : all) {
        if (each.type != queue_type::quorum || !each.kept.empty()) continue;
        longest = std::max(longest, each.span);
        ++empty;
    }
    if (longest == longest.zero()) return {};
    how.pause(longest, empty);
    if (auto done = judge_quorum(by, all, how.longest_wait); !done) return done;
    for (auto& each : all) {
        if (each.type != queue_type::quorum || !each.kept.empty()) continue;
        auto said = by.remove(each.name, false);
        if (!said) return std::unexpected(std::move(said.error()));
        each.is_deleted = said->empty();
        each.kept = std::move(*said);
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
