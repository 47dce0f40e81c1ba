// Where each message is, for whoever keeps a book beside the server.
#include "transport/rabbitmq/server/vhost.hpp"

namespace waybill::rabbitmq::fake {

std::size_t vhost::in_hand(std::string_view queue) const {
    std::size_t all = 0;
    for (const auto* one : channels_) {
        for (const auto& [tag, each] : one->unsettled) {
            if (each.in != nullptr && (queue.empty() || each.in->spec.name == queue)) ++all;
        }
    }
    return all;
}

void vhost::drain_all(const std::function<void(const queue& from, const entry& each)>& visit) {
    for (auto* one : channels_) {
        for (auto& [tag, each] : one->unsettled) {
            if (each.in == nullptr) continue;
            visit(*each.in, each.what);
            leave_hand(each);
            each.in = nullptr;
            each.by = nullptr;
        }
    }
    for_each([&](queue& from) {
        for (const auto& each : from.dead) visit(from, each.what);
        from.dead.clear();
        while (!from.is_empty()) visit(from, from.take_front());
        note_due(from);
    });
}

}  // namespace waybill::rabbitmq::fake
