/// A service in a process of its own that is killed and started again, and the account that is
/// drawn up of its messages afterwards.
#pragma once

#include "live/rig/plain_client.hpp"
#include "support/child.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace faults::test {

/// How many messages each story has, and how many of them a service has in hand at once.
inline constexpr int story_messages = 200;
inline constexpr int in_hand = 16;

/// A service and what it left behind, over all its lives. The folder goes with it.
class service_process {
public:
    struct wish {
        std::string queue;
        std::string type;  ///< classic, quorum
        std::string does;  ///< as faults_service says
        int cap = 5;
    };

    explicit service_process(wish what);
    ~service_process();
    service_process(const service_process&) = delete;
    service_process& operator=(const service_process&) = delete;

    /// Begins a life.
    void launch(std::uint16_t port);
    /// The same, and waits until it reads; false when it never does.
    bool start(std::uint16_t port);
    /// kill -9, from any thread.
    void kill() const { process_->send(SIGKILL); }
    /// Its exit code, as `child::wait`.
    int wait() { return process_->wait(); }
    int stop();

    [[nodiscard]] const wish& wanted() const noexcept { return wish_; }
    [[nodiscard]] std::string log() const;
    /// The attempts of each payload, in the order in which the handler saw them.
    [[nodiscard]] std::map<std::string, std::vector<int>> runs() const;
    /// Resident memory, in bytes.
    [[nodiscard]] std::size_t resident() const;

private:
    wish wish_;
    std::filesystem::path folder_;
    std::unique_ptr<waybill::test::child> process_;
};

/// Deletes the queues of a story and makes those that the service does not.
void begin_story(live::plain_client& client, const std::string& queue);

/// What became of the messages "0" to "count - 1".
struct account {
    int lost = 0;
    int duplicates = 0;
};

/// How often each payload came to its end: it was acked, or stands where it was to go.
using ends = std::map<std::string, int>;
account settle_accounts(const ends& all, int count);
/// "lost 0, duplicates 3 (17, 18, 19)": for people.
std::string in_words(const ends& all, int count);

/// How often the handler acked each payload: it ran with an attempt of `from` or above.
ends acked(const service_process& by, int from);
ends standing(std::vector<live::plain_message> there);

}  // namespace faults::test
