// How a service's connections end while no server answers.
#include "rabbitmq_client.hpp"
#include "transport/rabbitmq/connection.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace mq_close_test {

using namespace std::chrono_literals;
namespace mq = waybill::rabbitmq;

class counting_host final : public waybill::detail::transport_host {
public:
    [[nodiscard]] std::shared_ptr<waybill::clock> time() const noexcept override { return time_; }
    void timer_changed() noexcept override {}
    void warn(std::string_view event, std::string_view, std::string_view) noexcept override {
        if (event == "connection_failed") ++failed;
    }

    std::atomic<int> failed{0};

private:
    std::shared_ptr<waybill::manual_clock> time_ = std::make_shared<waybill::manual_clock>();
};

/// What happened to it; outlives it.
struct attempts {
    std::mutex mutex;
    std::condition_variable changed;
    int waiting = 0;
    int begun_too_late = 0;
    bool given_up = false;
    bool was_told = true;
};

/// Connects the first two, and has so many hosts for the others that they are tried until somebody
/// wants no more.
class endless_connector final : public mq::connector {
public:
    endless_connector(std::unique_ptr<mq::connector> to, attempts& all)
        : to_{std::move(to)}, all_{all} {}

    std::expected<std::unique_ptr<mq::wire>, waybill::error> open(std::string_view name) override {
        std::unique_lock lock{all_.mutex};
        if (opened_++ < 2) return to_->open(name);
        if (all_.given_up) ++all_.begun_too_late;
        ++all_.waiting;
        all_.changed.notify_all();
        if (!all_.changed.wait_for(lock, 10s, [&] { return all_.given_up; })) all_.was_told = false;
        return std::unexpected(waybill::error{waybill::errc::connection, "test", "nobody", ""});
    }
    void give_up() noexcept override {
        const std::lock_guard lock{all_.mutex};
        all_.given_up = true;
        all_.changed.notify_all();
    }

private:
    std::unique_ptr<mq::connector> to_;
    attempts& all_;
    int opened_ = 0;
};

TEST_CASE("a stop while no host answers ends both attempts, and none begins any more") {
    const mq::fake_server server;
    const auto about = std::make_shared<mq::broker::data>();
    about->connection.emplace().hosts = {{"127.0.0.1", 5672}};
    attempts all;
    counting_host host;
    mq::connection at{about,
                      std::make_unique<endless_connector>(
                          mq::the_stand_in().load()(*about->connection, host.time(), false), all),
                      host, "test"};
    REQUIRE(at.open());
    server.drop_connections();
    {
        std::unique_lock lock{all.mutex};
        REQUIRE(all.changed.wait_for(lock, 60s, [&] { return all.waiting == 2; }));
    }
    at.close();
    CHECK(all.was_told);
    CHECK(all.begun_too_late == 0);
    CHECK(host.failed == 0);
}

}  // namespace mq_close_test
