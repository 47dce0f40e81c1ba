/// The service of a live run, in a process of its own: started, heard, told to stop, killed.
///
/// What it tells is retold to the witness as it is heard. For one thread; what it is made with
/// outlives it.
#pragma once

#include "scenario/live/event_clock.hpp"
#include "scenario/live/live_world.hpp"
#include "scenario/live/process.hpp"
#include "scenario/live/retelling.hpp"
#include "scenario/live/runner.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace waybill::scenario {

class child_service {
public:
    child_service(const scenario& told, const live_options& how, live_world& server, witness& seen,
                  trace& into, event_clock& time)
        : how_{how}, server_{server}, seen_{seen}, time_{time}, retold_{told, seen, into} {}

    [[nodiscard]] bool is_there() const noexcept { return process_ != nullptr; }
    /// Returns when it is up, or with every reason why it is not. `file` is the text of the file.
    [[nodiscard]] std::vector<error> start(const std::string& file);

    /// One thing that is told within that time; false when nothing is.
    bool hear(std::chrono::milliseconds at_most);
    /// Lets everything react that can: until nothing has been told for so long.
    void rest(std::chrono::milliseconds quiet, std::chrono::milliseconds at_most);
    void wait_until_connected();
    /// How many copies wait in it.
    [[nodiscard]] std::size_t waiting();

    /// How many messages of other runs it was given, which its handlers did not see.
    [[nodiscard]] std::uint64_t passed_over() const noexcept { return passed_over_; }

    /// Asked to stop, and gone when this returns.
    void stop(nanoseconds limit);
    /// kill -9.
    void kill();
    /// From now on nobody knows what the server has of what was under way.
    void shake();
    /// When the run is over: gone, whatever it was at.
    void end();

private:
    void hear_of_process(const json::value& line);
    void hear_the_rest();
    void kill_in_handler();
    void bury();

    const live_options& how_;
    live_world& server_;
    witness& seen_;
    event_clock& time_;
    retelling retold_;
    std::unique_ptr<process> process_;
    bool is_up_ = false;
    std::uint64_t passed_over_ = 0;
    std::vector<error> problems_;
};

}  // namespace waybill::scenario
