#include "scenario/memory_kit.hpp"

#include "scenario/memory_world.hpp"

#include <limits>

namespace waybill::scenario {
namespace {

class kit_of_memory final : public kit {
public:
    [[nodiscard]] std::string_view transport() const noexcept override { return "memory"; }

    [[nodiscard]] std::shared_ptr<const broker_options> read_broker(fields& from) const override {
        auto made = std::make_shared<memory_broker>();
        auto& how = made->how;
        const auto counts = from.choice("counts", {"failures", "returns", "none"});
        how.counts = static_cast<memory::counting>(counts.value_or(0));
        how.delays = from.boolean("delays").value_or(true);
        how.delivery_limit = read_limit(from);
        how.outlives_crash = from.boolean("outlives_crash").value_or(false);
        how.limit.messages = from.count("capacity").value_or(0);
        return made;
    }

    [[nodiscard]] bool delays_by_itself(const broker_options& how) const noexcept override {
        return options_of(how).delays;
    }

    [[nodiscard]] source read_source(fields& from, const broker_options&) const override {
        const auto name = from.need("name");
        auto read = name ? name->text().value_or("") : "";
        const bool is_fan_out = from.boolean("fan_out").value_or(false);
        return is_fan_out ? memory::fan_out(std::move(read)) : memory::queue(std::move(read));
    }

    void read_properties(fields& from, step::publish& into) const override {
        into.time_to_live = from.duration("ttl").value_or(nanoseconds{0});
    }

    [[nodiscard]] json::object write_broker(const broker_options& of) const override {
        const auto& how = options_of(of);
        json::object made;
        if (how.counts != memory::counting::failures) {
            const bool is_none = how.counts == memory::counting::none;
            made.push_back({"counts", is_none ? "none" : "returns"});
        }
        if (!how.delays) made.push_back({"delays", false});
        if (how.delivery_limit != 0) made.push_back({"delivery_limit", how.delivery_limit});
        if (how.outlives_crash) made.push_back({"outlives_crash", true});
        if (how.limit.messages != 0) {
            made.push_back({"capacity", std::uint64_t{how.limit.messages}});
        }
        return made;
    }

    [[nodiscard]] json::object write_source(const source& from) const override {
        json::object made{{"name", from.name}};
        if (from.fan_out) made.push_back({"fan_out", true});
        return made;
    }

    [[nodiscard]] json::object write_properties(const step::publish& from) const override {
        if (from.time_to_live <= nanoseconds{0}) return {};
        return {{"ttl", to_text(from.time_to_live)}};
    }

    [[nodiscard]] std::shared_ptr<const broker_options> make_up_broker(dice& by) const override {
        auto made = std::make_shared<memory_broker>();
        auto& how = made->how;
        using memory::counting;
        how.counts = by.one_of({counting::failures, counting::failures, counting::failures,
                                counting::returns, counting::none});
        how.delays = by.chance(60);
        how.outlives_crash = by.chance(75);
        if (by.chance(30)) how.delivery_limit = by.one_of({1U, 2U, 3U, 4U, 6U, 20U});
        if (by.chance(15)) how.limit.messages = by.below(4) + 1;
        return made;
    }

    /// "in.a", or "in.*".
    [[nodiscard]] source make_up_source(dice& by, std::string_view address) const override {
        std::string name{address};
        const auto dot = address.find('.');
        if (dot != address.npos && by.chance(25)) name.replace(dot + 1, name.npos, "*");
        return by.chance(30) ? memory::fan_out(std::move(name)) : memory::queue(std::move(name));
    }

    [[nodiscard]] std::unique_ptr<world> open(const scenario& told,
                                              std::shared_ptr<manual_clock> time) const override {
        return open_memory_world(options_of(*told.broker), std::move(time));
    }

private:
    static const memory::options& options_of(const broker_options& how) noexcept {
        return static_cast<const memory_broker&>(how).how;
    }
    static std::uint32_t read_limit(fields& from) {
        constexpr auto most = std::numeric_limits<std::uint32_t>::max();
        const auto at = from.take("delivery_limit");
        const auto limit = at ? at->count().value_or(0) : 0;
        if (limit > most) at->wrong("this must be " + std::to_string(most) + " or less");
        return static_cast<std::uint32_t>(limit);
    }
};

}  // namespace

const kit& memory_kit() noexcept {
    static const kit_of_memory only;
    return only;
}

}  // namespace waybill::scenario
