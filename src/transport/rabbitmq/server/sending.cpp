// What a client sends without waiting: publishes, and how it settles its deliveries.
#include "transport/rabbitmq/fields.hpp"
#include "transport/rabbitmq/server/connection.hpp"
#include "transport/rabbitmq/server/refusals.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace waybill::rabbitmq::fake {
namespace {

std::string settle_line(std::string_view method, std::uint64_t tag, bool multiple, bool requeue) {
    std::string text = "client ";
    text.append(method).append(" ").append(std::to_string(tag));
    if (multiple) text += " multiple";
    if (requeue) text += " requeue";
    return text;
}

}  // namespace

std::expected<void, error> connection::publish(channel_id id, const publication& what) {
    const turn now{*server_};
    if (fallen_) return {};
    written_.clear();
    if (auto held = write_properties(what.packed_headers, written_); !held) return held;
    if (!server_->blocked().empty() && !is_blocked_) {
        is_blocked_ = true;
        post(news::blocked{server_->blocked()});
    }
    later_or_now([this, id, message = incoming{what}] { publish_now(id, message); });
    return {};
}

void connection::publish_now(channel_id id, incoming what) {
    note("client basic.publish " + (what.exchange.empty() ? "" : what.exchange + ' ') + what.key);
    auto* on = for_method(id);
    if (on == nullptr) return;
    const auto tag = on->confirms ? on->next_publish++ : 0;
    const auto fault = server_->take_fault(what.exchange, what.key);
    if (fault == publish_fault::connection_lost) {
        fall_alone({0, "the connection was lost"});
        return;
    }
    if (fault == publish_fault::connection_ended) {
        fall_alone({541, "INTERNAL_ERROR"});
        return;
    }
    if (fault == publish_fault::channel_closed) {
        close_by_server(*on, precondition_failed("a publish that was planned to fail"));
        return;
    }
    const bool mandatory = what.mandatory;
    auto made = accept(std::move(what), in_, facts_.user, server_->how());
    if (!made) {
        close_by_server(*on, made.error());
        return;
    }
    const auto shared = std::make_shared<const message>(std::move(*made));
    if (fault == publish_fault::nacked) {
        finish_publish(*on, tag, false);
        return;
    }
    const auto to = fault == publish_fault::returned ? std::vector<queue*>{} : in_.route(*shared);
    if (to.empty() && mandatory) post(news::returned{id, shared});
    const bool taken = in_.publish(shared, to);
    if (fault == publish_fault::taken_and_lost) {
        fall_alone({0, "the connection was lost"});
        return;
    }
    finish_publish(*on, tag, taken);
}

void connection::finish_publish(channel& on, std::uint64_t tag, bool taken) {
    if (on.confirms) post(news::confirmed{on.id, tag, false, taken});
}

void connection::ack(channel_id id, std::uint64_t tag, bool multiple) {
    const turn now{*server_};
    later_or_now([this, id, tag, multiple] {
        note(settle_line("basic.ack", tag, multiple, false));
        settle_now(id, tag, multiple, [this](unsettled_message& one) { in_.acked(one); });
    });
}

void connection::nack(channel_id id, std::uint64_t tag, bool multiple, bool requeue) {
    const turn now{*server_};
    later_or_now([this, id, tag, multiple, requeue] {
        note(settle_line("basic.nack", tag, multiple, requeue));
        settle_now(id, tag, multiple, [this, requeue](unsettled_message& one) {
            in_.given_back(one, comeback::nacked, requeue);
        });
    });
}

void connection::reject(channel_id id, std::uint64_t tag, bool requeue) {
    const turn now{*server_};
    later_or_now([this, id, tag, requeue] {
        note(settle_line("basic.reject", tag, false, requeue));
        settle_now(id, tag, false, [this, requeue](unsettled_message& one) {
            in_.given_back(one, comeback::rejected, requeue);
        });
    });
}

/// Tag 0 with `multiple` is everything; any other tag must be in hand.
void connection::settle_now(channel_id id, std::uint64_t tag, bool multiple,
                            const std::function<void(unsettled_message&)>& act) {
    auto* on = for_method(id);
    if (on == nullptr) return;
    auto& all = on->unsettled;
    const auto last = tag == 0 && multiple ? all.end() : all.find(tag);
    if (last == all.end() && !(tag == 0 && multiple)) {
        close_by_server(*on, precondition_failed("unknown delivery tag " + std::to_string(tag)));
        return;
    }
    const auto end = last == all.end() ? last : std::next(last);
    std::vector<std::pair<std::uint64_t, unsettled_message>> settled;
    for (auto at = multiple ? all.begin() : last; at != end; at = all.erase(at))
        settled.emplace_back(at->first, std::move(at->second));
    for (auto& [number, one] : settled) act(one);
}

}  // namespace waybill::rabbitmq::fake
