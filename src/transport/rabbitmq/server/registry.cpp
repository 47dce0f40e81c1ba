#include "transport/rabbitmq/server/registry.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace waybill::rabbitmq::fake {
namespace {

struct servers {
    std::mutex mutex;
    std::map<std::pair<std::string, std::uint16_t>, std::weak_ptr<server>> all;

    std::shared_ptr<server> find(const host_port& at) {
        const auto found = all.find({at.host, at.port});
        return found == all.end() ? nullptr : found->second.lock();
    }
};

servers& everywhere() {
    static servers all;
    return all;
}

}  // namespace

std::shared_ptr<server> find_server(const host_port& at) {
    auto& known = everywhere();
    const std::lock_guard lock{known.mutex};
    return known.find(at);
}

std::shared_ptr<server> find_or_put(const std::vector<host_port>& at,
                                    const std::shared_ptr<server>& made) {
    auto& known = everywhere();
    const std::lock_guard lock{known.mutex};
    for (const auto& each : at) {
        if (auto there = known.find(each)) return there;
    }
    for (const auto& each : at) known.all.insert_or_assign({each.host, each.port}, made);
    return made;
}

}  // namespace waybill::rabbitmq::fake
