// How long a keeper that has a thread of its own pauses between its attempts to connect. Its time
// stands still: it tries when it is told to.
#include "rabbitmq_client.hpp"
#include "time/growing_pause.hpp"
#include "transport/rabbitmq/keeper.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace mq_keeper_pauses_test {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
namespace mq = waybill::rabbitmq;

struct no_job final : mq::job {
    std::expected<void, waybill::error> opened(mq::wire&) override { return {}; }
    void lost(const mq::refusal&) override {}
    void work(mq::wire&) override {}
    [[nodiscard]] bool has_work() const noexcept override { return false; }
    std::byte* begins(const mq::arrival&) override { return nullptr; }
    void arrived() override {}
    void returned(const mq::returned_message&) override {}
    void confirmed(mq::channel_id, std::uint64_t, bool, bool) override {}
    void cancelled(mq::channel_id, std::string_view) override {}
    void channel_closed(mq::channel_id, const mq::refusal&) override {}
    void blocked(std::string_view) override {}
};

/// "...; again in 73ms" or "2s".
milliseconds pause_in(std::string_view words) {
    constexpr std::string_view before = "again in ";
    const auto at = words.rfind(before);
    REQUIRE(at != words.npos);
    const std::string text{words.substr(at + before.size())};
    const milliseconds count{std::stoll(text)};
    return text.ends_with("ms") ? count : count * 1000;
}

/// Keeps what the keeper says of its pauses.
class listening_host final : public waybill::detail::transport_host {
public:
    [[nodiscard]] std::shared_ptr<waybill::clock> time() const noexcept override { return time_; }
    void timer_changed() noexcept override {}
    void warn(std::string_view event, std::string_view, std::string_view what) noexcept override {
        if (event != "connection_failed") return;
        const std::lock_guard lock{mutex_};
        pauses_.push_back(pause_in(what));
        changed_.notify_all();
    }
    /// Waits for the how-manieth.
    milliseconds pause(std::size_t number) {
        std::unique_lock lock{mutex_};
        REQUIRE(changed_.wait_for(lock, 60s, [&] { return pauses_.size() > number; }));
        return pauses_[number];
    }

private:
    std::shared_ptr<waybill::manual_clock> time_ = std::make_shared<waybill::manual_clock>();
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<milliseconds> pauses_;
};

/// Of a keeper whose connection has fallen, and whose server takes no other.
std::vector<milliseconds> pauses_of_one(const mq::fake_server& server, std::size_t count) {
    mq::connection_settings to;
    to.hosts = {{"127.0.0.1", 5672}};
    listening_host host;
    const auto connector = mq::the_stand_in().load()(to, host.time(), false);
    no_job job;
    mq::keeper at{*connector, job, host, "one (reads)", "broker"};
    server.refuse_connections(false);
    REQUIRE(at.start());
    server.refuse_connections(true);
    server.drop_connections();
    std::vector<milliseconds> all;
    while (all.size() < count) {
        all.push_back(host.pause(all.size()));
        at.try_now();
    }
    return all;
}

TEST_CASE("two that lost their server do not come back in step, and none pauses too long") {
    const mq::fake_server server;
    constexpr std::size_t count = 12;
    const auto one = pauses_of_one(server, count);
    const auto other = pauses_of_one(server, count);
    CHECK(one != other);
    for (unsigned tries = 0; tries < count; ++tries) {
        const auto whole = waybill::pause_before_repeat(tries);
        CAPTURE(tries);
        for (const auto each : {one[tries], other[tries]}) {
            CHECK(each >= whole / 2);
            CHECK(each <= whole);
        }
    }
}

}  // namespace mq_keeper_pauses_test
