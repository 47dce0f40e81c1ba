#include "live/rig/service.hpp"

#include "live/rig/server.hpp"

#include <stdexcept>
#include <utility>

namespace live {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

service::service(std::string url)
    : config_{std::make_unique<waybill::rabbitmq::broker>(url.empty() ? server_url() : url)},
      app_{std::make_unique<waybill::app>("live", "1")} {
    app_->log_to([this](std::string_view line) {
        const std::lock_guard lock{mutex_};
        log_.append(line) += '\n';
    });
}

service::~service() { app_.reset(); }

waybill::broker& service::broker() {
    if (broker_ == nullptr) broker_ = &app_->broker(*config_);
    return *broker_;
}

waybill::subscription& service::subscribe(const waybill::rabbitmq::queue& from, answer does) {
    const waybill::source source = from;
    const auto name = source.name;
    return broker()
        .subscribe(source,
                   [this, name, does = std::move(does)](waybill::context& at) -> waybill::outcome {
                       const auto& message = at.message();
                       call seen{text_of(message.payload()), message.attempt(),
                                 message.redelivered(),      std::string{message.address()},
                                 message.headers(),          std::chrono::steady_clock::now()};
                       {
                           const std::lock_guard lock{mutex_};
                           calls_[name].push_back(seen);
                       }
                       return does(seen, at);
                   })
        .name(name);
}

void service::start() {
    if (const auto started = app_->start(); !started) {
        std::string all;
        for (const auto& each : started.error()) all += each.message() + '\n';
        throw std::runtime_error{all};
    }
}

std::vector<call> service::calls(const std::string& queue) const {
    const std::lock_guard lock{mutex_};
    const auto found = calls_.find(queue);
    return found == calls_.end() ? std::vector<call>{} : found->second;
}

std::size_t service::count(const std::string& queue) const {
    const std::lock_guard lock{mutex_};
    const auto found = calls_.find(queue);
    return found == calls_.end() ? 0 : found->second.size();
}

std::map<std::string, int> service::by_body(const std::string& queue) const {
    std::map<std::string, int> all;
    for (const auto& each : calls(queue)) ++all[each.body];
    return all;
}

std::string service::log() const {
    const std::lock_guard lock{mutex_};
    return log_;
}

}  // namespace live
