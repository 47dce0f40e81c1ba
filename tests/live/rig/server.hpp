/// The server that scripts/live.sh put into the environment, and what a test asks of it beside
/// AMQP.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace live {

/// Of the environment; a test that lacks it fails, and says how tests are run.
std::string environment(const char* name);

/// With the user and the password of the tests.
std::string server_url();
/// The same, through another port of this machine; and so for any URL. @{
std::string server_url(std::uint16_t port);
std::string at_port(std::string url, std::uint16_t port);
/// @}
/// What the URL says, decoded.
struct login_words {
    std::string user;
    std::string password;
    std::string vhost;
};
login_words login_of_server();
/// As WAYBILL_RABBITMQ_VERSION has it: {3, 10}.
struct version {
    int major = 0;
    int minor = 0;
    friend auto operator<=>(const version&, const version&) = default;
};
version server_version();
std::uint16_t server_port();

struct ended {
    int code = -1;  ///< -1: a signal ended it
    std::string said;
};
/// Both outputs of a shell's line in one.
ended run_command(const std::string& line);
/// Runs WAYBILL_RABBITMQ_CTL or _CONTROL; throws what it said when it fails. @{
std::string ctl(const std::string& arguments);
std::string control(const std::string& arguments);
/// @}
/// Puts a setting of the server back, whatever the test did. Both are words for `ctl`.
class restored {
public:
    restored(const std::string& set, std::string back) : back_{std::move(back)} { ctl(set); }
    ~restored();
    restored(const restored&) = delete;
    restored& operator=(const restored&) = delete;
    void now() {
        ctl(back_);
        back_.clear();
    }

private:
    std::string back_;
};
/// What the server has logged from that many bytes on. @{
std::size_t log_size();
std::string log_since(std::size_t from);
/// @}

/// Until it holds; false when `at_most` is over.
bool eventually(const std::function<bool()>& holds,
                std::chrono::milliseconds at_most = std::chrono::seconds{30});

}  // namespace live
