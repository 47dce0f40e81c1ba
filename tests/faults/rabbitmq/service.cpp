/// faults_service PORT QUEUE TYPE DOES CAP FOLDER
///
/// The service that the tests of faults start, kill and start again. It reads QUEUE (TYPE classic
/// or quorum) of the server of the tests through PORT, with the dead letter QUEUE.dead, and does
/// with every message what DOES says:
///
///     ack        nothing more
///     retry      asks for a retry once, then acks
///     wait       the same, 200 ms later
///     linger     the same, 5 s later
///     fail       asks for a retry always
///     publish    stages the payload for QUEUE.out, and acks
///
/// A payload that begins with "killer" kills it, whatever it does. Before a handler answers, the
/// line "PAYLOAD ATTEMPT" is in FOLDER/ran; its log is in FOLDER/log. Both outlive a kill.
#include "live/rig/server.hpp"
#include <waybill/rabbitmq.hpp>
#include <waybill/waybill.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

class file {
public:
    explicit file(const std::string& path)
        : number_{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)} {}
    void write(const std::string& line) const {
        const auto all = line + '\n';
        if (::write(number_, all.data(), all.size()) < 0) std::abort();
    }

private:
    int number_;
};

struct wanted {
    std::string queue;
    std::string does;
    file ran;

    waybill::outcome handle(waybill::context& at) const {
        using namespace std::chrono_literals;
        const auto payload = at.message().payload();
        const std::string text{reinterpret_cast<const char*>(payload.data()), payload.size()};
        ran.write(text + ' ' + std::to_string(at.attempt()));
        if (text.starts_with("killer")) ::kill(::getpid(), SIGKILL);
        if (does == "fail") return waybill::retry();
        if (does == "retry" && at.attempt() == 1) return waybill::retry();
        if (does == "wait" && at.attempt() == 1) return waybill::retry_after(200ms);
        if (does == "linger" && at.attempt() == 1) return waybill::retry_after(5s);
        if (does == "publish") at.publish(queue + ".out", payload);
        return waybill::ack();
    }
};

}  // namespace

int main(int count, char** arguments) {
    const std::vector<std::string> words{arguments + 1, arguments + count};
    if (words.size() != 6) {
        std::cerr << "usage: faults_service PORT QUEUE TYPE DOES CAP FOLDER\n";
        return 2;
    }
    const auto port = static_cast<std::uint16_t>(std::stoi(words[0]));
    const auto& queue = words[1];
    const auto cap = std::stoi(words[4]);
    const auto& folder = words[5];
    waybill::app app{"faults", "1"};
    app.log_to(
        [log = file{folder + "/log"}](std::string_view line) { log.write(std::string{line}); });
    auto& broker = app.broker(waybill::rabbitmq::broker{live::server_url(port)});
    const wanted wants{queue, words[3], file{folder + "/ran"}};
    waybill::rabbitmq::queue from{queue};
    if (words[2] == "quorum") from.quorum();
    auto& one = broker.subscribe(
        from, [&](waybill::context& at) -> waybill::outcome { return wants.handle(at); });
    if (cap != 0) one.max_attempts(cap).dead_letter(queue + ".dead");
    return app.run();
}
