#include "transport/rabbitmq/server/words.hpp"

namespace waybill::rabbitmq::fake {
namespace {

struct in_words {
    std::string operator()(const news::delivery& one) const {
        return "basic.deliver " + std::to_string(one.tag) + ' ' + one.consumer;
    }
    std::string operator()(const news::returned& one) const {
        return "basic.return 312 " + one.what->keys.front();
    }
    std::string operator()(const news::confirmed& one) const {
        return (one.taken ? "basic.ack " : "basic.nack ") + std::to_string(one.tag) +
               (one.multiple ? " multiple" : "");
    }
    std::string operator()(const news::cancelled& one) const {
        return "basic.cancel " + one.consumer;
    }
    std::string operator()(const news::closed& one) const {
        return "channel.close " + one.why.text;
    }
    std::string operator()(const news::blocked& one) const {
        return one.reason.empty() ? "connection.unblocked" : "connection.blocked " + one.reason;
    }
};

}  // namespace

std::string words_of(const news::any& what) { return "server " + std::visit(in_words{}, what); }

channel_id channel_of(const news::any& what) {
    return std::visit(
        [](const auto& one) -> channel_id {
            if constexpr (requires { one.on; }) {
                return one.on;
            } else {
                return 0;
            }
        },
        what);
}

}  // namespace waybill::rabbitmq::fake
