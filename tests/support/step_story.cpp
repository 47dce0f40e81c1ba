#include "step_story.hpp"

#include <stdexcept>
#include <tuple>
#include <utility>

using namespace std::chrono_literals;

namespace support {

using waybill::outcome;

namespace {

constexpr std::size_t staged_each = 2;

const std::byte* payload_of(const waybill::context& with) {
    return with.message().payload().data();
}

/// JSON, and a step for each payload that is decoded.
class watched_json final : public waybill::codec_interface {
public:
    explicit watched_json(course& run) : run_{run} {}

    [[nodiscard]] std::string_view name() const noexcept override { return json_->name(); }
    [[nodiscard]] std::string_view content_type() const noexcept override {
        return json_->content_type();
    }
    [[nodiscard]] bool supports(const waybill::value_type& type) const noexcept override {
        return json_->supports(type);
    }
    std::expected<void, waybill::error> decode(const waybill::value_type& type, void* object,
                                               std::span<const std::byte> payload,
                                               waybill::arena& kept) const override {
        auto read = json_->decode(type, object, payload, kept);
        if (run_.is_dead()) return read;
        // A lane decodes into an object of its own.
        run_.ledger.decoded(object, payload.data(), read.has_value());
        run_.reach(step::decoded);
        return read;
    }
    std::expected<void, waybill::error> encode(const waybill::value_type& type, const void* object,
                                               waybill::byte_buffer& out) const override {
        return json_->encode(type, object, out);
    }

private:
    course& run_;
    waybill::codec json_ = waybill::codecs::json();
};

}  // namespace

ending ending_of(const story& told, std::uint64_t id) {
    if (!is_in_trouble(id)) return ending::acked;
    switch (told.what) {
        case trouble::none:
        case trouble::staged:
        case trouble::unsettled:
        case trouble::foreign:
            return ending::acked;
        case trouble::drop:
            return ending::dropped;
        case trouble::undecodable:
            return ending::dead;
        case trouble::retry:
        case trouble::retry_after:
        case trouble::exception:
            return id == always_in_trouble && told.cap != 0 ? ending::dead : ending::acked;
    }
    return ending::acked;
}

// ---- one process -------------------------------------------------------------------------------

waybill::app story_service::make(const faulty_broker& at, const waybill::source& from,
                                 std::int64_t lanes, std::shared_ptr<waybill::clock> time) {
    waybill::app app{"service", "1"};
    app.log_level(waybill::log_level::off).time(std::move(time));
    app.codec(std::make_shared<watched_json>(course_));
    auto& wired = subscribe(app.broker(at), from);
    wired.name("service").concurrency(lanes);
    if (told_.cap != 0) wired.max_attempts(told_.cap).dead_letter(dead_letter_);
    if (told_.retries_elsewhere) wired.retry_to(from.name);
    if (told_.rejects_drops) wired.drop_to_broker();
    if (told_.what == trouble::foreign) wired.skip_foreign_copies();
    return app;
}

waybill::subscription& story_service::subscribe(waybill::broker& broker,
                                                const waybill::source& from) {
    if (told_.handler == form::reply) {
        return broker.subscribe(from, [this](const story_item& one, waybill::context& with) {
            ran(with);
            if (!is_in_trouble(one.id)) return waybill::reply<story_note>{answer(one.id, with)};
            course_.ledger.answered(payload_of(with), {said::kind::ack, 0ns, 1});
            return waybill::reply<story_note>{story_note{one.id, 0}};
        });
    }
    if (told_.handler == form::deferred) {
        return broker.subscribe(from,
                                [this](const story_item& one, waybill::context& with,
                                       waybill::out<story_note> notes, waybill::settlement right) {
                                    ran(with);
                                    stage(one.id, notes);
                                    const bool throws = told_.what == trouble::exception;
                                    if (throws && is_in_trouble_now(one.id))
                                        std::ignore = troubled(payload_of(with));
                                    held_.push_back({std::move(right), one.id, payload_of(with)});
                                });
    }
    return broker.subscribe(from, [this](const story_item& one, waybill::context& with,
                                         waybill::out<story_note> notes) {
        ran(with);
        stage(one.id, notes);
        return answer(one.id, with);
    });
}

// ---- what handlers do --------------------------------------------------------------------------

void story_service::ran(const waybill::context& with) {
    if (course_.is_dead()) return;
    course_.ledger.ran(payload_of(with), with.attempt());
    course_.reach(step::handling);
}

void story_service::stage(std::uint64_t id, waybill::out<story_note>& notes) const {
    for (std::size_t at = 0; at < staged_with(id); ++at) notes.publish(story_note{id, at});
}

std::size_t story_service::staged_with(std::uint64_t id) const {
    return told_.what == trouble::staged && is_in_trouble(id) ? staged_each : 0;
}

/// Whether this delivery is answered with the story's trouble.
bool story_service::is_in_trouble_now(std::uint64_t id) {
    const auto before = times_[id]++;
    if (told_.what == trouble::none || told_.what == trouble::staged) return false;
    if (told_.what == trouble::drop) return is_in_trouble(id);
    if (id == once_in_trouble) return before == 0;
    if (id != always_in_trouble) return false;
    // What nothing bounds has to come to an end by itself.
    return before < 3 || (told_.cap != 0 && told_.what != trouble::unsettled);
}

outcome story_service::answer(std::uint64_t id, const waybill::context& with) {
    return is_in_trouble_now(id) ? troubled(payload_of(with)) : acked(id, payload_of(with));
}

outcome story_service::acked(std::uint64_t id, const std::byte* payload) {
    course_.ledger.answered(payload, {said::kind::ack, 0ns, staged_with(id)});
    return waybill::ack();
}

outcome story_service::troubled(const std::byte* payload) {
    if (told_.what == trouble::drop) {
        course_.ledger.answered(payload, {said::kind::drop});
        return waybill::drop();
    }
    const auto delay = told_.what == trouble::retry_after ? delay_ : 0ns;
    course_.ledger.answered(payload, {said::kind::again, delay});
    if (told_.what == trouble::exception) throw std::runtime_error("no");
    return waybill::retry_after(delay);
}

bool story_service::use_settlement() {
    if (held_.empty()) return false;
    auto used = std::move(held_.back());
    held_.pop_back();
    course_.reach(step::answering);
    const bool is_troubled = told_.what != trouble::exception && is_in_trouble_now(used.id);
    if (is_troubled && told_.what == trouble::unsettled) return true;
    const auto given = is_troubled ? troubled(used.payload) : acked(used.id, used.payload);
    std::move(used.right).settle(given);
    return true;
}

void story_service::use_settlements_too_late() {
    for (auto& each : held_) std::move(each.right).ack();
    held_.clear();
}

}  // namespace support
