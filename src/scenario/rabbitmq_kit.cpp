#include "scenario/rabbitmq_kit.hpp"

#include "scenario/mistakes.hpp"
#include "scenario/rabbitmq_options.hpp"
#include "scenario/rabbitmq_topology.hpp"
#include "scenario/rabbitmq_values.hpp"
#include "scenario/rabbitmq_world.hpp"
#include "transport/rabbitmq/data.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace waybill::scenario {
namespace {

using rabbitmq::queue_type;

constexpr std::array<rabbitmq::version_number, 3> versions{{{3, 10}, {4, 0}, {4, 3}}};
constexpr std::uint32_t least_frame = 4096;

/// Those that are text, by their names in a file.
constexpr std::array<std::string_view, 9> text_properties{
    "content_type", "content_encoding", "correlation_id", "reply_to",  "message_id",
    "type",         "user_id",          "app_id",         "cluster_id"};
constexpr std::array<std::string_view, 3> number_properties{"priority", "delivery_mode",
                                                            "timestamp"};

template <class T>
T read_number(fields& from, std::string_view name, T least, T most) {
    const auto at = from.take(name);
    const auto number = at ? at->count() : std::nullopt;
    if (!number) return 0;
    if (*number < least || *number > most) {
        at->wrong("this must be " + std::to_string(least) + " to " + std::to_string(most));
    }
    return static_cast<T>(*number);
}

void append_number(headers& to, std::string_view name, std::uint64_t number) {
    using rabbitmq::wire_type;
    const bool is_time = name == "timestamp";
    to.append(std::string{':'}.append(name),
              rabbitmq::as(is_time ? wire_type::timestamp : wire_type::u8, number));
}

class kit_of_rabbitmq final : public kit {
public:
    [[nodiscard]] std::string_view transport() const noexcept override { return "rabbitmq"; }

    [[nodiscard]] std::shared_ptr<const broker_options> read_broker(fields& from) const override {
        auto made = std::make_shared<rabbitmq_options>();
        const auto version = from.choice("version", {"3.10", "4.0", "4.3"});
        made->version = versions[version.value_or(0)];
        made->names_version = version.has_value();
        made->prefetch = read_number<std::uint16_t>(from, "prefetch", 1, UINT16_MAX);
        made->frame_max = read_number<std::uint32_t>(from, "frame_max", least_frame, 1U << 27U);
        if (const auto at = from.take("topology")) read_topology(*at, *made);
        return made;
    }

    [[nodiscard]] bool delays_by_itself(const broker_options&) const noexcept override {
        return true;
    }

    /// A queue of the topology has its type there; said again, it must be the same.
    [[nodiscard]] source read_source(fields& from, const broker_options& by) const override {
        const auto& how = options_of(by);
        const auto at = from.need("queue");
        const auto name = at ? at->text().value_or("") : "";
        const auto type = from.choice("type", {"classic", "quorum", "stream"});
        const auto kind = static_cast<queue_type>(type.value_or(0));
        const auto* known = how.find(name);
        rabbitmq::queue made = known != nullptr ? *known : rabbitmq::queue{name};
        if (known == nullptr) {
            made.type(kind);
            bind_loosely(made, name, how);
        } else if (type && kind != known->said().kind) {
            from.wrong("the topology has this queue with another type");
        }
        if (how.prefetch != 0) made.prefetch(how.prefetch);
        return made;
    }

    void read_properties(fields& from, step::publish& into) const override {
        auto& to = into.with;
        for (const auto name : text_properties) {
            if (const auto value = from.text(name)) {
                to.append(std::string{':'}.append(name), *value);
            }
        }
        for (const auto name : number_properties) {
            const bool is_octet = name != "timestamp";
            const auto at = from.take(name);
            const auto number = at ? at->count() : std::nullopt;
            if (!number) continue;
            if (is_octet && *number > UINT8_MAX) at->wrong("this must be 0 to 255");
            append_number(to, name, *number);
        }
        if (const auto at = from.take("expiration")) {
            // As the protocol has it, a text of milliseconds; a number is taken for one.
            const auto* text = at->is().text();
            const auto number = text == nullptr ? at->count() : std::nullopt;
            if (text != nullptr) to.append(rabbitmq::property::expiration, *text);
            if (number) to.append(rabbitmq::property::expiration, std::to_string(*number));
        }
    }

    [[nodiscard]] std::optional<std::string> read_address(const entry& from) const override {
        if (from.is().members() == nullptr) return from.text();
        std::optional<std::string> made;
        from.object([&](fields& one) { made = read_exchange_key(one); });
        return made;
    }

    bool append_nested(headers& into, const std::string& name, const entry& from) const override {
        const auto done = append_amqp(into, name, from.is());
        if (!done) from.wrong(done.error());
        return true;
    }

    [[nodiscard]] json::object write_broker(const broker_options& of) const override {
        const auto& how = options_of(of);
        json::object made;
        if (how.names_version) made.push_back({"version", version_text(how.version)});
        if (how.prefetch != 0) made.push_back({"prefetch", std::uint64_t{how.prefetch}});
        if (how.frame_max != 0) made.push_back({"frame_max", std::uint64_t{how.frame_max}});
        if (!how.topology.empty()) made.push_back({"topology", how.topology});
        return made;
    }

    [[nodiscard]] json::object write_source(const source& from) const override {
        json::object made{{"queue", from.name}};
        const auto kind = rabbitmq::said_of(from).kind;
        if (kind == queue_type::quorum) made.push_back({"type", "quorum"});
        if (kind == queue_type::stream) made.push_back({"type", "stream"});
        return made;
    }

    [[nodiscard]] json::object write_properties(const step::publish& from) const override {
        return properties_of(from.with);
    }

    [[nodiscard]] json::value write_value(const header_value& from) const override {
        return amqp_as_json(from);
    }

    [[nodiscard]] std::shared_ptr<const broker_options> make_up_broker(dice& by) const override {
        auto made = std::make_shared<rabbitmq_options>();
        made->version = by.one_of({versions[0], versions[0], versions[1], versions[2]});
        made->names_version = true;
        if (by.chance(30)) made->prefetch = by.one_of<std::uint16_t>({1, 2, 5});
        return made;
    }

    /// One type for each address, whoever asks.
    [[nodiscard]] source make_up_source(dice& by, std::string_view address) const override {
        rabbitmq::queue made{std::string{address}};
        (void)by.roll();
        if (address.size() % 2 == 0 || address.ends_with('a')) made.quorum();
        return made;
    }

    [[nodiscard]] std::unique_ptr<world> open(const scenario& told,
                                              std::shared_ptr<manual_clock> time) const override {
        return open_rabbitmq_world(told, std::move(time));
    }

private:
    static const rabbitmq_options& options_of(const broker_options& how) noexcept {
        return static_cast<const rabbitmq_options&>(how);
    }
};

}  // namespace

const kit& rabbitmq_kit() noexcept {
    static const kit_of_rabbitmq only;
    return only;
}

}  // namespace waybill::scenario
