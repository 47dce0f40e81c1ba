#include "testing/recorder.hpp"

namespace waybill::testing {
namespace {

constexpr std::size_t most_lines = 60;

const char* name_of(settle::publish_reason why) {
    switch (why) {
        case settle::publish_reason::outside:
            return "outside";
        case settle::publish_reason::staged:
            return "staged";
        case settle::publish_reason::retry:
            return "retry";
        case settle::publish_reason::dead_letter:
            return "dead_letter";
        case settle::publish_reason::hop:
            return "hop";
    }
    return "?";
}

}  // namespace

void recorder::note(std::string line) {
    if (lines_.size() == most_lines) {
        lines_.pop_front();
        ++left_out_;
    }
    lines_.push_back("  " + to_text(time_->now()) + "  " + std::move(line));
}

void recorder::delivered(std::string_view subscription, const delivery& message) {
    const std::string name{subscription};
    calls_.push_back({name,
                      std::string{message.address()},
                      message.attempt(),
                      message.headers(),
                      {message.payload().begin(), message.payload().end()},
                      time_->now(),
                      false,
                      ack(),
                      {}});
    open_[{name, message.payload().data()}] = calls_.size() - 1;
    ++reaction_;
    ++addresses_[std::string{message.address()}];
    note(name + ": delivery " + std::to_string(message.attempt()) + " of a message for " +
         std::string{message.address()});
}

void recorder::answered(std::string_view subscription, const delivery& message, outcome answer,
                        std::string_view error) {
    const std::string name{subscription};
    if (const auto found = open_.find({name, message.payload().data()}); found != open_.end()) {
        auto& call = calls_[found->second];
        call.answered = true;
        call.answer = answer;
        call.error = error;
        open_.erase(found);
    }
    note(name + ": " + to_string(answer) +
         (error.empty() ? std::string{} : " (" + std::string{error} + ")"));
}

void recorder::exceeded(std::string_view subscription, const delivery& message) {
    ++reaction_;
    ++addresses_[std::string{message.address()}];
    note(std::string{subscription} + ": delivery " + std::to_string(message.attempt()) +
         " ends on receipt, the handler does not run");
}

void recorder::published(settle::publish_reason why, const outgoing_view& message,
                         detail::publish_status) {
    messages_.push_back({std::string{message.address},
                         headers::copy_of(message.packed_headers),
                         {message.payload.begin(), message.payload.end()},
                         name_of(why),
                         time_->now()});
    note("published to " + std::string{message.address} + " (" + name_of(why) + ")");
}

void recorder::settled(std::string_view subscription, std::uint32_t attempt,
                       detail::settle_kind kind) {
    note(std::string{subscription} + ": delivery " + std::to_string(attempt) + " " +
         settle::name_of(kind));
}

std::string recorder::history() const {
    std::string text = "what happened:\n";
    if (left_out_ != 0) text += "  (" + std::to_string(left_out_) + " lines before)\n";
    if (lines_.empty()) text += "  nothing\n";
    for (const auto& line : lines_) text += line + '\n';
    return text;
}

}  // namespace waybill::testing
