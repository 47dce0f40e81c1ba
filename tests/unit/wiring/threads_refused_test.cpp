#include <waybill/memory.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_room_of_its_own = false;
#elif defined(__has_feature)
constexpr bool has_room_of_its_own =
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
constexpr bool has_room_of_its_own = true;
#endif

/// While it lives, the process may map this much more than it has: a few threads' stacks.
class little_room {
public:
    explicit little_room(rlim_t more) {
        getrlimit(RLIMIT_AS, &before_);
        rlim_t pages = 0;
        std::ifstream{"/proc/self/statm"} >> pages;
        auto less = before_;
        less.rlim_cur = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + more;
        setrlimit(RLIMIT_AS, &less);
    }
    ~little_room() { setrlimit(RLIMIT_AS, &before_); }
    little_room(const little_room&) = delete;
    little_room& operator=(const little_room&) = delete;

private:
    rlimit before_{};
};

}  // namespace

TEST_CASE("an app whose threads the system refuses does not start, and says what to do") {
    // A sanitizer's own maps leave no room to take away; the branch is the same without it.
    if (!has_room_of_its_own) return;
    const waybill::memory::server server;
    REQUIRE(server.publish("orders", "an order"));
    waybill::app app{"shop", "1"};
    app.log_level(waybill::log_level::off);
    app.broker(waybill::memory::broker{server})
        .subscribe(
            waybill::memory::queue("orders"),
            [](std::span<const std::byte>) { return waybill::retry_after(std::chrono::hours{1}); })
        .concurrency(64);
    const auto started = [&] {
        const little_room room{100 << 20};
        return app.start();
    }();
    REQUIRE_FALSE(started);
    CHECK(started.error()[0].code == waybill::errc::failed);
    CHECK(started.error()[0].what.find("refused a thread") != std::string::npos);
    CHECK(started.error()[0].fix.find("workers") != std::string::npos);
    CHECK(app.health().state == waybill::health_state::failed);
    CHECK(server.unsettled() == 0);
    CHECK(server.queued("orders") + server.waiting() == 1);
}
