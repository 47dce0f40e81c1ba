#include "settle/copy.hpp"
#include "settle/moves.hpp"
#include "time/growing_pause.hpp"

#include <exception>
#include <utility>

namespace waybill::settle {
namespace {

/// What the server will never take is parked: tried again this often, in case its limits change.
constexpr nanoseconds parked_repeat = std::chrono::minutes{1};

}  // namespace

const char* in_words(publish_status status) noexcept {
    switch (status) {
        case publish_status::confirmed:
            return "was confirmed";
        case publish_status::pending:
            return "is not confirmed yet";
        case publish_status::failed:
            return "was not taken by the broker";
        case publish_status::unroutable:
            return "was taken by no queue or subscriber";
        case publish_status::refused:
            return "was refused by the broker";
        case publish_status::lost:
            return "was not confirmed before the connection fell";
    }
    return "failed";
}

/// It stays among the spare ones: where the broker confirms at once, it never leaves them.
executor::move& executor::spare_move(const case_file& about, const plan& decided) {
    if (spare_moves_.empty()) spare_moves_.push_back(std::make_unique<move>(*this));
    auto& moving = *spare_moves_.back();
    moving.about = about;
    moving.payload = about.from.payload;
    moving.delay = decided.delay;
    moving.tries = 0;
    const auto carried = decided.unseen ? about.attempt - 1 : about.attempt;
    moving.facts = {about.from.packed_headers, shared_.count.count_header,
                    about.past.root_id,        carried,
                    about.expires_at_ms(),     shared_.rule.can.not_copied};
    if (about.past.root_id.empty()) {
        shared_.ids->next(moving.fresh_root);
        moving.facts.root_id = moving.fresh_root;
    }
    return moving;
}

[[gnu::always_inline]] inline publish_status executor::send(move& moving) {
    moving.now = move::stage::sending;
    if (is_stale(moving.about)) return publish_status::lost;
    const auto message = moving.view();
    const bool waits_here = message.delay > message.delay.zero() && !shared_.rule.can.delays_copies;
    if (shared_.observer != nullptr) [[unlikely]] {
        const auto of = moving.about.view();
        waits_here ? shared_.observer->keeping(of, message)
                   : shared_.observer->sending(moving.why, of);
    }
    return waits_here ? shared_.store->put(message, lesser_address(moving))
                      : shared_.transport->publish(message, &moving);
}

[[gnu::always_inline]] inline void executor::start_spare(move& moving) {
    const auto status = send(moving);
    if (status != publish_status::pending && conclude(moving, status)) return;
    moves_.push_back(std::move(spare_moves_.back()));
    spare_moves_.pop_back();
}

/// Where a delivery goes back to as a copy.
std::string_view executor::address_of_copies(const case_file& about) const noexcept {
    const bool to_source =
        shared_.rule.can.copies_to_source && !shared_.declared->retry_to_delivery;
    return to_source ? std::string_view{shared_.declared->from.name} : about.from.address;
}

/// The message itself, published for the next stretch of its wait: nothing is charged. What is no
/// copy of this reader's own is every reader's of its address, so it comes back to this source
/// alone.
void executor::begin_hop(const case_file& about, nanoseconds left) {
    auto& moving = spare_move(about, {left, action::copy});
    moving.address =
        about.past.own ? address_of_copies(about) : std::string_view{shared_.declared->from.name};
    const auto packed = about.from.packed_headers;
    moving.built.clear();
    moving.built.append(packed.data(), packed.size());
    moving.why = publish_reason::hop;
    moving.has_record = false;
    start_spare(moving);
}

void executor::begin_copy(const plan& decided, const case_file& about) {
    auto& moving = spare_move(about, decided);
    const auto& fixed = shared_.declared->retry_to;
    const auto retry_source =
        fixed ? std::string_view{"*"} : std::string_view{shared_.count.reader};
    moving.address = fixed ? std::string_view{*fixed} : address_of_copies(about);
    build_retry_copy(moving.built, moving.facts, retry_source);
    moving.why = publish_reason::retry;
    moving.has_record = false;
    if (shared_.on_retry_copy) apply_copy_hook(moving, retry_source);
    start_spare(moving);
}

void executor::apply_copy_hook(move& moving, std::string_view retry_source) {
    outgoing copy{std::string{moving.address}, moving.payload};
    copy.headers() = headers::copy_of(moving.built.bytes());
    try {
        shared_.on_retry_copy(copy, moving.about.view());
    } catch (const std::exception& thrown) {
        return shared_.log->write(log_level::error, "copy_hook_failed",
                                  {{"subscription", shared_.declared->name},
                                   {"error", thrown.what()},
                                   {"copy", "sent unchanged"}});
    } catch (...) {
        return shared_.log->write(log_level::error, "copy_hook_failed",
                                  {{"subscription", shared_.declared->name},
                                   {"error", "not a std::exception"},
                                   {"copy", "sent unchanged"}});
    }
    // Built anew from what the hook left: a copy without its count would never reach the cap.
    auto facts = moving.facts;
    facts.original = copy.headers().packed();
    build_retry_copy(moving.built, facts, retry_source);
    moving.changed.assign(copy.payload().begin(), copy.payload().end());
    moving.payload = moving.changed;
}

void executor::begin_dead_letter(const plan& decided, const case_file& about,
                                 std::string_view error) {
    auto& moving = spare_move(about, decided);
    failure_record record;
    record.reason = decided.reason;
    record.error = error;
    record.place = shared_.place.bytes();
    record.at = shared_.time->wall();
    record.first_at = about.past.first_death_at;
    record.attempts = moving.facts.carried;
    record.count = about.past.deaths + 1;
    moving.address = *shared_.declared->dead_letter;
    build_dead_letter(moving.built, moving.facts, record,
                      static_cast<std::size_t>(shared_.declared->record_budget));
    moving.why = publish_reason::dead_letter;
    moving.has_record = true;
    if (shared_.log->writes(log_level::warning)) {
        const auto id = id_for_people(about);
        shared_.log->write(log_level::warning, "dead_lettered",
                           {{"subscription", shared_.declared->name},
                            {"reason", to_string(record.reason)},
                            {"attempts", record.attempts},
                            {"to", moving.address},
                            {"id", id.empty() ? moving.facts.root_id : id},
                            {"error", error}});
    }
    start_spare(moving);
}

void executor::resend(move& moving) {
    const auto status = send(moving);
    if (status != publish_status::pending && conclude(moving, status)) let_go(moving);
}

bool executor::awaits_confirmation() const noexcept {
    const auto is_sending = [](const auto& each) { return each->now == move::stage::sending; };
    return !staged_.empty() || std::ranges::any_of(moves_, is_sending);
}

void executor::let_go(move& moving) { spare_moves_.push_back(take_out(moves_, moving)); }

void executor::count_published(publish_reason why) {
    if (why == publish_reason::hop) return;
    counters::add(why == publish_reason::retry ? shared_.totals.retried
                                               : shared_.totals.dead_lettered);
}

bool executor::conclude(move& moving, publish_status status) {
    if (status == publish_status::confirmed) [[likely]] {
        end_trouble(moving);
        if (shared_.observer != nullptr) {
            shared_.observer->published(moving.why, moving.view(), status);
        }
        count_published(moving.why);
        settle(moving.about, settle_kind::accept, {});
        return true;
    }
    if (!is_stale(moving.about) && !winds_down_) {
        if (status == publish_status::refused) return refused_for_good(moving);
        repeat_later(moving, status);
        return false;
    }
    end_trouble(moving);
    settle_unless_stale(moving.about, settle_kind::release);
    return true;
}

/// What the broker will never take goes another way: a copy as the dead letter, a dead letter
/// without its record, then to the broker's own policy. When none is left it is parked.
bool executor::refused_for_good(move& moving) {
    const auto refused = moving.address;
    const bool lesser = take_lesser_form(moving);
    const bool rejects = !lesser && shared_.rule.can.keeps_rejected;
    if (!lesser && !rejects) {
        repeat_later(moving, publish_status::refused);
        return false;
    }
    counters::add(shared_.totals.failed_publishes);
    shared_.log->write(log_level::error, "publish_refused",
                       {{"subscription", shared_.declared->name},
                        {"to", refused},
                        {"then", lesser ? "the dead letter without the failure record"
                                        : "rejected, to the broker's own dead letter"}});
    if (lesser) {
        const auto status = send(moving);
        return status != publish_status::pending && conclude(moving, status);
    }
    end_trouble(moving);
    counters::add(shared_.totals.rejected);
    settle(moving.about, settle_kind::reject, {});
    return true;
}

/// Where the dead letter without its record goes, the last form of all; null when there is none,
/// or `moving` is it.
const std::string* executor::lesser_address(const move& moving) const {
    const bool is_bare = moving.why == publish_reason::dead_letter && !moving.has_record;
    return is_bare ? nullptr : dead_letter_address();
}

/// Null when none is declared.
const std::string* executor::dead_letter_address() const noexcept {
    const auto& address = shared_.declared->dead_letter;
    return address ? &*address : nullptr;
}

/// True when there is another form to send, which `moving` then has.
bool executor::take_lesser_form(move& moving) {
    const auto* address = lesser_address(moving);
    if (address == nullptr) return false;
    moving.address = *address;
    moving.payload = moving.about.from.payload;
    build_dead_letter(moving.built, moving.facts, {}, 0);
    moving.why = publish_reason::dead_letter;
    moving.has_record = false;
    moving.delay = death_delay(moving.about.past.deaths);
    return true;
}

void executor::repeat_later(move& moving, publish_status status) {
    counters::add(shared_.totals.failed_publishes);
    const bool never = status == publish_status::refused;
    const auto pause = never ? parked_repeat : pause_before_repeat(moving.tries);
    const auto reason = std::string{"a message for "}.append(moving.address) + ' ' +
                        in_words(status) + "; the original is kept and the publish is repeated";
    const auto& name = shared_.declared->name;
    moving.tries == 0 ? shared_.trouble->raise(name, reason) : shared_.trouble->renew(name, reason);
    shared_.log->write(log_level::error, "publish_failed",
                       {{"subscription", shared_.declared->name},
                        {"to", moving.address},
                        {"tries", moving.tries + 1},
                        {"problem", in_words(status)},
                        {"again_in", to_text(pause)}});
    ++moving.tries;
    moving.now = move::stage::pausing;
    shared_.wakes->arm(shared_.time->now(), pause, moving);
}

void executor::end_trouble(move& moving) {
    if (std::exchange(moving.tries, 0) != 0) shared_.trouble->clear(shared_.declared->name);
}

}  // namespace waybill::settle
