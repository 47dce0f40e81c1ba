/// One process of the service that a scenario declares: the production app and its runtime, driven
/// by hand.
#pragma once

#include "scenario/actor.hpp"
#include "scenario/message_type.hpp"
#include "scenario/observer.hpp"
#include "scenario/scenario.hpp"
#include "scenario/trace.hpp"
#include <waybill/app.hpp>
#include <waybill/clock.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace waybill::wiring {
class runtime;
}

namespace waybill::scenario {

struct service_options {
    /// Which process of the run it is, the first is 1; it shows in the ids that the runtime gives.
    /// 0: they are the runtime's own choice.
    std::size_t number = 1;
    bool has_threads = false;  ///< of its own; else it is driven by hand
};

class service {
public:
    /// Everything named outlives it.
    service(const scenario& told, std::shared_ptr<const detail::broker_config> server, stage& on,
            trace& into, std::shared_ptr<clock> time, service_options how);
    ~service();

    /// What is wrong with what it declares, without starting it.
    [[nodiscard]] std::vector<error> check() const { return app_.check(); }
    /// False when the service is refused; then the trace has every problem.
    bool start();
    /// Every problem that kept it from starting.
    [[nodiscard]] const std::vector<error>& problems() const noexcept { return problems_; }

    /// One turn of one lane; false when all are at rest.
    bool run_one();
    [[nodiscard]] std::optional<nanoseconds> next_due() const;
    void tick(nanoseconds now);

    /// Nothing further is taken. Then `is_quiet` says when nothing is in hand any more.
    void begin_stop();
    [[nodiscard]] bool is_quiet() const;
    /// Gives back what is still in hand after so long, and ends.
    void stop(nanoseconds limit);
    /// What it reads may be taken: the server can be reached again.
    void wake();

    [[nodiscard]] std::size_t waiting_in_process() const;
    /// Does a kill lose all that its server has?
    [[nodiscard]] bool loses_everything() const;

private:
    void declare(const subscription& told, waybill::broker& at);
    void hear(std::string_view log_line);

    const scenario& told_;
    trace& trace_;
    observer& seen_;
    service_options how_;
    std::vector<std::shared_ptr<const message_type>> types_;
    app app_;
    std::shared_ptr<wiring::runtime> running_;
    std::vector<error> problems_;
};

}  // namespace waybill::scenario
