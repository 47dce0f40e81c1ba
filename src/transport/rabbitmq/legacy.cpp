#include "transport/rabbitmq/address.hpp"
#include "transport/rabbitmq/data.hpp"
#include <waybill/declaration.hpp>

namespace waybill::rabbitmq {
namespace {

/// A retry that goes straight back would not wait at all; a plain queue's name is most often such.
void check_place(queue::data& of, const char* role, const std::string& address) {
    const auto read = read_address(address);
    auto& mistakes = of.mistakes;
    const auto begin = std::string{"legacy_retry_queues: its "} + role + " address ";
    if (!read) {
        mistakes.push_back(begin + '"' + address + "\": " + read.error());
    } else if (read->is_queue() && read->key == of.spec.name) {
        mistakes.push_back(begin + "is the queue itself");
    }
}

}  // namespace

queue& queue::legacy_retry_queues(std::string retry, std::string failed) {
    auto& to = change();
    check_place(to, "retry", retry);
    check_place(to, "failed", failed);
    to.legacy_retry = std::move(retry);
    to.legacy_failed = std::move(failed);
    to.keeps_deaths = true;
    return *this;
}

void queue::data::declare(declaration& of) const {
    if (legacy_retry.empty()) return;
    of.retry_to = legacy_retry;
    of.dead_letter = legacy_failed;
}

}  // namespace waybill::rabbitmq
