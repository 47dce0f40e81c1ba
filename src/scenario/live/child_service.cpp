#include "scenario/live/child_service.hpp"

#include "scenario/live/told.hpp"

#include <thread>
#include <utility>

namespace waybill::scenario {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr std::chrono::seconds to_start = 60s;
constexpr std::chrono::seconds to_connect_again = 60s;
constexpr std::chrono::milliseconds a_moment = 100ms;
/// A service's connections to its server: one that reads and one that publishes.
constexpr std::size_t connections_of_one = 2;

}  // namespace

std::vector<error> child_service::start(const std::string& file) {
    process_ = std::make_unique<process>(how_.program, how_.arguments);
    seen_.process_began();
    process_->commands().send(json::object{
        {"file", file}, {"url", server_.url()}, {"run", std::uint64_t{server_.run()}}});
    is_up_ = false;
    const auto end = steady::now() + to_start;
    while (process_ && !is_up_ && !process_->events().is_over() && steady::now() < end) {
        hear(a_moment);
    }
    if (!is_up_ && problems_.empty()) {
        problems_.push_back({errc::failed, "the service", "its process did not start", ""});
    }
    return std::exchange(problems_, {});
}

bool child_service::hear(std::chrono::milliseconds at_most) {
    if (!process_) {
        std::this_thread::sleep_for(at_most);
        return false;
    }
    const auto line = process_->events().receive(at_most);
    if (!line) {
        if (process_->events().is_over()) std::this_thread::sleep_for(at_most / 10);
        return false;
    }
    time_.goes_to(nanoseconds{told::signed_in(*line, "at")});
    if (const auto via = told::text_in(*line, "via"); !via.empty()) server_.waits_in(via);
    if (!retold_.hear(*line, process_->events())) hear_of_process(*line);
    return true;
}

void child_service::hear_of_process(const json::value& line) {
    const auto what = told::text_in(line, "do");
    if (what == "up") {
        is_up_ = true;
    } else if (what == "passed_over") {
        ++passed_over_;
    } else if (what == "crash") {
        if (!seen_.is_dying()) kill_in_handler();
    } else if (what == "refused") {
        for (const auto& each : *line.find("problems")->items()) {
            problems_.push_back({static_cast<errc>(told::number_in(each, "code")),
                                 told::text_in(each, "where"), told::text_in(each, "what"),
                                 told::text_in(each, "fix")});
        }
    }
}

void child_service::rest(std::chrono::milliseconds quiet, std::chrono::milliseconds at_most) {
    const auto end = steady::now() + at_most;
    const auto waits_for_answer = [&] {
        return process_ && server_.is_reachable() && retold_.is_sending();
    };
    while (steady::now() < end && (hear(quiet) || waits_for_answer())) {
    }
}

void child_service::wait_until_connected() {
    const auto end = steady::now() + to_connect_again;
    while (process_ && server_.connections() < connections_of_one && steady::now() < end) {
        hear(a_moment / 2);
    }
}

std::size_t child_service::waiting() {
    if (!process_ || !process_->commands().send(json::object{{"waiting", true}})) return 0;
    const auto answer = process_->commands().receive(5s);
    return answer ? told::number_in(*answer, "waiting") : 0;
}

void child_service::stop(nanoseconds limit) {
    if (!process_) return;
    process_->commands().send(json::object{{"stop", std::int64_t{limit.count()}}});
    while (process_ && !process_->events().is_over()) hear(a_moment);
    if (!process_) return;  // it died meanwhile
    process_->wait();
    seen_.process_stopped();
    bury();
}

/// What other threads had begun ends first, so that the same is lost each time.
void child_service::kill_in_handler() {
    rest(a_moment, 20s);
    if (process_) kill();
}

void child_service::kill() {
    process_->kill();
    seen_.process_is_dying();
    hear_the_rest();
    shake();
    seen_.killed(false);
    bury();
}

void child_service::hear_the_rest() {
    while (!process_->events().is_over()) hear(a_moment);
}

void child_service::shake() {
    seen_.shaken();
    retold_.doubt_all();
}

void child_service::bury() {
    retold_.forget_all();
    process_ = nullptr;
}

void child_service::end() {
    if (!process_) return;
    process_->kill();
    hear_the_rest();
    shake();
    seen_.process_died();
    bury();
}

}  // namespace waybill::scenario
