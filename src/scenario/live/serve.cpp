#include "scenario/live/serve.hpp"

#include "scenario/kit.hpp"
#include "scenario/live/relay.hpp"
#include "scenario/live/told.hpp"
#include "scenario/rabbitmq_broker.hpp"
#include "scenario/read.hpp"
#include "scenario/service.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace waybill::scenario {
namespace {

/// Answers that handlers give later, on a thread of its own.
class late_worker {
public:
    late_worker() : thread_{[this] { run(); }} {}
    ~late_worker() {
        {
            const std::lock_guard lock{mutex_};
            ends_ = true;
            changed_.notify_all();
        }
        thread_.join();
    }
    late_worker(const late_worker&) = delete;
    late_worker& operator=(const late_worker&) = delete;

    void add(nanoseconds takes, std::function<void()> give) {
        constexpr nanoseconds most = std::chrono::hours{24 * 365};
        const std::lock_guard lock{mutex_};
        waiting_.emplace(std::chrono::steady_clock::now() + std::min(takes, most), std::move(give));
        changed_.notify_all();
    }

private:
    void run() {
        std::unique_lock lock{mutex_};
        while (!ends_) {
            if (waiting_.empty()) {
                changed_.wait(lock);
                continue;
            }
            const auto due = waiting_.begin()->first;
            if (std::chrono::steady_clock::now() < due) {
                changed_.wait_until(lock, due);
                continue;
            }
            auto give = std::move(waiting_.begin()->second);
            waiting_.erase(waiting_.begin());
            lock.unlock();
            give();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> waiting_;
    bool ends_ = false;
    std::thread thread_;
};

json::array as_json(const std::vector<error>& problems) {
    json::array all;
    for (const auto& each : problems) {
        all.push_back(json::object{{"code", std::uint64_t{static_cast<unsigned>(each.code)}},
                                   {"where", each.where},
                                   {"what", each.what},
                                   {"fix", each.fix}});
    }
    return all;
}

/// Until it is told to stop.
void obey(line_socket& commands, service& of, relay& to) {
    while (const auto command = commands.receive(std::nullopt)) {
        if (command->find("stop") != nullptr) {
            of.stop(nanoseconds{told::signed_in(*command, "stop")});
            return to.say("stopped");
        }
        commands.send(json::object{{"waiting", std::uint64_t{of.waiting_in_process()}}});
    }
    // The runner is gone, and nobody wants a service any more.
    std::_Exit(1);
}

}  // namespace

int serve(int events, int commands) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    line_socket told_over{events};
    line_socket asked_over{commands};
    const auto order = asked_over.receive(std::nullopt);
    if (!order) return 1;
    const auto file = read(told::text_in(*order, "file"));
    if (!file) return 1;
    relay to{told_over, static_cast<tag::run_number>(told::number_in(*order, "run"))};
    const auto time = real_clock();
    trace log{time, *kit_for(file->transport), [&](const json::value& line) { to.pass_on(line); }};
    late_worker late;
    stage on{
        to,
        [&](nanoseconds takes, std::function<void()> give) { late.add(takes, std::move(give)); },
        [&] { to.crash(); }};
    const auto broker = std::make_shared<const rabbitmq::broker>(
        rabbitmq_broker_of(*file, told::text_in(*order, "url")));
    service served{*file, broker, on, log, time, {.number = 0, .has_threads = true}};
    if (!served.start()) {
        to.say("refused", {{"problems", as_json(served.problems())}});
        return 1;
    }
    to.say("up");
    obey(asked_over, served, to);
    return 0;
}

}  // namespace waybill::scenario
