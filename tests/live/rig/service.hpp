/// A service in this process that reads a real queue, and a record of what its handler saw.
#pragma once

#include <waybill/rabbitmq.hpp>
#include <waybill/waybill.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace live {

/// One run of the handler.
struct call {
    std::string body;
    std::uint32_t attempt = 0;
    bool redelivered = false;
    std::string address;
    waybill::headers headers;
    std::chrono::steady_clock::time_point at;

    /// The text of a header; "" when there is none.
    [[nodiscard]] std::string text(std::string_view name) const {
        return std::string{headers.text(name).value_or("")};
    }
};

/// Thread-safe but for the wiring. Stops when it goes.
class service {
public:
    using answer = std::function<waybill::outcome(const call&, waybill::context&)>;

    /// At `url`, or the server of the environment.
    explicit service(std::string url = {});
    ~service();

    /// Before `start`: more than `subscribe` does. @{
    [[nodiscard]] waybill::rabbitmq::broker& config() noexcept { return *config_; }
    [[nodiscard]] waybill::app& app() noexcept { return *app_; }
    /// @}
    /// Puts the broker into the app, whose config is then done.
    waybill::broker& broker();
    /// The record is kept under the subscription's name, which is the queue's.
    waybill::subscription& subscribe(const waybill::rabbitmq::queue& from, answer does);

    /// Throws what it says when it cannot.
    void start();
    bool stop() { return app_->stop(); }

    [[nodiscard]] std::vector<call> calls(const std::string& queue) const;
    [[nodiscard]] std::size_t count(const std::string& queue) const;
    /// How often the handler ran for each body.
    [[nodiscard]] std::map<std::string, int> by_body(const std::string& queue) const;
    [[nodiscard]] waybill::health health() const { return app_->health(); }
    /// Every line that was logged.
    [[nodiscard]] std::string log() const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::vector<call>> calls_;
    std::string log_;
    std::unique_ptr<waybill::rabbitmq::broker> config_;
    waybill::broker* broker_ = nullptr;
    std::unique_ptr<waybill::app> app_;
};

}  // namespace live
