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

    [[nodiscard]] source read_source(fields& from) const override {
        const auto name = from.need("name");
        auto read = name ? name->text().value_or("") : "";
        const bool is_fan_out = from.boolean("fan_out").value_or(false);
        return is_fan_out ? memory::fan_out(std::move(read)) : memory::queue(std::move(read));
    }

    void read_properties(fields& from, step::publish& into) const override {
        into.time_to_live = from.duration("ttl").value_or(nanoseconds{0});
    }

    [[nodiscard]] std::unique_ptr<world> open(const broker_options& how,
                                              std::shared_ptr<manual_clock> time) const override {
        return open_memory_world(options_of(how), std::move(time));
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
