#include "scenario/memory_world.hpp"

#include "transport/memory/pattern.hpp"
#include "transport/memory/store.hpp"

#include <utility>

namespace waybill::scenario {
namespace {

class memory_world final : public world {
public:
    memory_world(const memory::options& how, std::shared_ptr<manual_clock> time)
        : server_{how}, config_{std::make_shared<memory::broker>(server_)} {
        store().outside().time = std::move(time);
    }

    [[nodiscard]] std::shared_ptr<const detail::broker_config> config() const override {
        return config_;
    }

    std::expected<void, error> publish(const outgoing_view& message) override {
        if (auto problem = memory::address_problem(message.address); !problem.empty()) {
            return std::unexpected(error{errc::argument, std::string{message.address},
                                         std::move(problem), "publish to a name without * and >"});
        }
        auto& outside = store().outside();
        // Without a ticket, so that a full address answers at once.
        const auto status = store().publish_with_care(message, outside, nullptr);
        if (status == detail::publish_status::confirmed) return {};
        if (auto known = store().explain(message.address, status, outside)) {
            return std::unexpected(std::move(*known));
        }
        return std::unexpected(
            error{errc::publish, std::string{message.address}, "the server did not take it", ""});
    }
    [[nodiscard]] std::vector<std::string> reached_by(const outgoing_view& message) override {
        return store().targets_of(message.address);
    }
    [[nodiscard]] std::string queue_of(const source& from, std::string_view reader) const override {
        return memory::queue_name(from, reader);
    }

    void drop_connections() override { server_.drop_connections(); }
    void killed() override { server_.crash(); }
    void fail_publishes(std::string_view address, std::uint64_t times) override {
        server_.fail_publishes(address, times);
    }
    void remove(std::string_view address, const visitor& visit) override {
        store().remove(address, as_queue_visitor(visit));
    }
    /// What it keeps outlasts it, as a durable server's messages do.
    void restart() override { server_.drop_connections(); }

    [[nodiscard]] std::optional<nanoseconds> next_due() const override {
        return store().next_due();
    }
    void tick(nanoseconds now) override { store().tick(now, 1); }

    [[nodiscard]] std::map<std::string, std::uint64_t> queued() const override {
        std::map<std::string, std::uint64_t> all;
        store().for_each_ready([&](const std::string& queue, const memory::entry& each) {
            ++all[each.to->name];
            if (memory::is_pattern(queue)) ++all[queue];
        });
        return all;
    }
    [[nodiscard]] std::uint64_t waiting() const override { return server_.waiting(); }
    void watch_removals(visitor told) override {
        store().watch_removals(as_queue_visitor(std::move(told)));
    }
    void drain(const visitor& visit) override { store().drain(as_queue_visitor(visit)); }

private:
    [[nodiscard]] memory::store& store() const { return *server_.shared(); }
    static memory::store::queue_visitor as_queue_visitor(visitor visit) {
        return [visit = std::move(visit)](const std::string& queue, const memory::entry& each) {
            visit(queue, each.packed_headers());
        };
    }

    memory::server server_;
    std::shared_ptr<memory::broker> config_;
};

}  // namespace

std::unique_ptr<world> open_memory_world(const memory::options& how,
                                         std::shared_ptr<manual_clock> time) {
    return std::make_unique<memory_world>(how, std::move(time));
}

}  // namespace waybill::scenario
