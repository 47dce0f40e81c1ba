/// The observer in a live service's process: tells the runner's process everything, in the order in
/// which it happens, and asks it for what only it knows.
///
/// Any thread. What is told has been handed to the system when the call returns, so that a kill
/// loses nothing of it.
#pragma once

#include "scenario/live/line_socket.hpp"
#include "scenario/observer.hpp"
#include "scenario/tag.hpp"

#include <mutex>
#include <optional>

namespace waybill::scenario {

class relay final : public observer {
public:
    relay(line_socket& to, tag::run_number run) : to_{to}, run_{run} {}

    /// A line of the trace that the service's own log makes.
    void pass_on(const json::value& line);
    void say(std::string_view what, json::object with = {});
    /// The process is to be killed here; does not return.
    [[noreturn]] void crash();

    std::size_t next_run(const delivery& message) override;
    void will_publish(const delivery& message, published_why why) override;
    void reads(std::size_t subscription, const source& from, std::string_view reader) override;
    bool passes_over(const detail::received& message) override;
    void took(std::size_t subscription, detail::received& message,
              std::vector<std::byte>& room) override;
    void passed(const detail::settle_op& operation, bool is_stale) override;
    void closes() override { say("closes"); }
    sent sending_now(const outgoing_view& message, std::string via) override;
    void sending_ended(const sent& one, const outgoing_view& message,
                       detail::publish_status status) override;

    void delivered(std::string_view subscription, const delivery& message) override;
    void answered(std::string_view subscription, const delivery& message, outcome answer,
                  std::string_view error) override;
    void exceeded(std::string_view subscription, const delivery& message) override;
    void sending(settle::publish_reason why, const delivery& of) override;
    void published(settle::publish_reason, const outgoing_view&, detail::publish_status) override {}
    void settled(std::string_view subscription, std::uint32_t attempt,
                 detail::settle_kind kind) override;

private:
    void tell(std::string_view what, json::object with);
    json::value ask(std::string_view what, json::object with);

    line_socket& to_;
    const tag::run_number run_;
    std::mutex mutex_;
};

}  // namespace waybill::scenario
