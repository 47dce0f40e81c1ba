// How the fake server takes the place of the one that a broker was configured with.
#include "transport/rabbitmq/server/registry.hpp"
#include "transport/rabbitmq/settings.hpp"
#include <waybill/rabbitmq_testing.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

namespace waybill::rabbitmq::fake {
namespace {

std::string shown(const host_port& at) { return at.host + ':' + std::to_string(at.port); }

class local_connector final : public connector {
public:
    local_connector(const connection_settings& to, std::vector<std::shared_ptr<server>> at,
                    std::shared_ptr<clock> time)
        : to_{to}, at_{std::move(at)}, time_{std::move(time)} {
        for_each([&](server& each) { each.adopt(time_); });
    }
    ~local_connector() override = default;

    std::expected<std::unique_ptr<wire>, error> open(std::string_view name) override {
        error all{errc::connection, "", "", "look whether the server runs there"};
        const auto first = turn_++;
        for (std::size_t tried = 0; tried < to_.hosts.size(); ++tried) {
            const auto which = (first + tried) % to_.hosts.size();
            auto opened = open_at(which, name);
            if (opened) return std::move(*opened);
            if (!all.where.empty()) {
                all.where += ',';
                all.what += "; ";
            }
            const auto host = shown(to_.hosts[which]);
            all.where += host;
            all.what.append(host).append(": ").append(opened.error().text);
            if (opened.error().code != 0) {
                all.code = errc::refused;
                all.fix = "give a user and a password that the server knows";
            }
        }
        return std::unexpected(std::move(all));
    }

    void on_news(std::function<void()> told) override { told_->told = std::move(told); }
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_due() const override {
        std::optional<std::chrono::nanoseconds> due;
        for_each([&](server& each) {
            const auto its = each.next_due();
            if (its && (!due || *its < *due)) due = its;
        });
        return due;
    }
    std::size_t tick(std::chrono::nanoseconds now, std::size_t limit) override {
        std::size_t done = 0;
        for_each([&](server& each) { done += each.tick(now, limit - done); });
        return done;
    }

private:
    std::expected<std::unique_ptr<wire>, refusal> open_at(std::size_t which,
                                                          std::string_view name) {
        const auto at = at_[which] != nullptr ? at_[which] : find_server(to_.hosts[which]);
        if (at == nullptr) return std::unexpected(refusal{0, "nobody listens there"});
        at->adopt(time_);
        return at->open(to_, name, told_);
    }
    /// Each server once, though it may have several hosts.
    template <class F>
    void for_each(F&& act) const {
        for (auto at = at_.begin(); at != at_.end(); ++at) {
            if (*at != nullptr && std::find(at_.begin(), at, *at) == at) act(**at);
        }
    }

    connection_settings to_;
    std::vector<std::shared_ptr<server>> at_;  ///< one a host; null: nobody stands there
    std::shared_ptr<clock> time_;
    std::shared_ptr<listener> told_ = std::make_shared<listener>();
    std::atomic<std::size_t> turn_{0};
};

std::unique_ptr<connector> stand_in_for(const connection_settings& to,
                                        const std::shared_ptr<clock>& time, bool must) {
    std::vector<std::shared_ptr<server>> at;
    bool has_any = false;
    for (const auto& each : to.hosts) {
        at.push_back(find_server(each));
        has_any = has_any || at.back() != nullptr;
    }
    if (!has_any) {
        if (!must) return nullptr;
        const auto made = find_or_put(to.hosts, std::make_shared<server>(server_options{}));
        std::ranges::fill(at, made);
    }
    return std::make_unique<local_connector>(to, std::move(at), time);
}

}  // namespace

bool install() noexcept {
    the_stand_in().store(&stand_in_for);
    return true;
}

}  // namespace waybill::rabbitmq::fake
