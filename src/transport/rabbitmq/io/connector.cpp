#include "transport/rabbitmq/io/connection.hpp"
#include "transport/rabbitmq/io/open.hpp"
#include "transport/rabbitmq/settings.hpp"

#include <fmt/format.h>

#include <atomic>
#include <new>
#include <system_error>

namespace waybill::rabbitmq {
namespace {

class network_connector final : public connector {
public:
    explicit network_connector(const connection_settings& to) : to_{to} {}

    std::expected<std::unique_ptr<wire>, error> open(std::string_view name) override {
        const auto count = to_.hosts.size();
        const auto first = next_.fetch_add(1, std::memory_order_relaxed);
        error failure{errc::refused, to_.describe(), {}, {}};
        for (std::size_t i = 0; i < count; ++i) {
            if (given_up_) {
                return std::unexpected{error{errc::stopped, to_.describe(),
                                             "It is not connected to any more", "Start anew"}};
            }
            const auto& host = to_.hosts[(first + i) % count];
            auto made = open_at(host, name);
            if (made) return std::move(*made);
            auto& why = made.error();
            if (why.retrying_helps) failure.code = errc::connection;
            if (count > 1) {
                why.what =
                    fmt::format("{}{}:{}: {}", i == 0 ? "" : "; ", host.host, host.port, why.what);
            }
            failure.what += why.what;
            if (failure.fix.find(why.fix) == std::string::npos) {
                failure.fix += (failure.fix.empty() ? "" : "; ") + why.fix;
            }
        }
        return std::unexpected{std::move(failure)};
    }

    void give_up() noexcept override { given_up_ = true; }

private:
    /// What the system does not give now it may give at the next attempt, so nothing is thrown.
    std::expected<std::unique_ptr<wire>, io::open_failure> open_at(const host_port& host,
                                                                   std::string_view name) {
        try {
            auto link = io::open_one(to_, host, name);
            if (!link) return std::unexpected{std::move(link.error())};
            return std::make_unique<io::connection>(std::move(*link), to_.connection_timeout);
        } catch (const std::system_error& why) {
            return std::unexpected{io::open_failure{
                true, fmt::format("A connection takes what there is not: {}", why.code().message()),
                "See how many open files the process may have (ulimit -n)"}};
        } catch (const std::bad_alloc&) {
            return std::unexpected{
                io::open_failure{true, "There is no memory for a connection",
                                 "Lower frame_max of the URL, or let the process have more"}};
        }
    }

    const connection_settings to_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> given_up_{false};
};

}  // namespace

std::unique_ptr<connector> make_connector(const connection_settings& to) {
    return std::make_unique<network_connector>(to);
}

}  // namespace waybill::rabbitmq
