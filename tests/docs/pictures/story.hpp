/// Tells what happens to messages in one app, on the paused clock, as lines for
/// scripts/pictures.py.
///
/// A picture begins with `== name: title` and `lanes: a, b, c`, the columns from left to right. An
/// act of the story begins with `> ` and the time, a kill with `! `; every other line is one of the
/// test kit's history, with the payload and the runtime's headers of its message behind bars.
#pragma once

#include <waybill/memory.hpp>
#include <waybill/testing.hpp>

#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

namespace pictures {

class story {
public:
    story(waybill::memory::server at, std::string_view name, std::string_view title,
          std::string_view lanes)
        : at_{std::move(at)} {
        std::cout << "== " << name << ": " << title << "\nlanes: " << lanes << '\n';
    }

    /// The app that the following acts are about; it lives until the story ends.
    void run(waybill::app wired) { app_.emplace(std::move(wired)); }

    /// Somebody else publishes.
    void publish(std::string_view address, std::string_view payload) {
        act() << "publish to " << address << " | " << payload << '\n';
        send(address, payload, {});
    }
    /// A person takes the latest dead letter as it is and sends it to where it came from.
    void move_back(std::string_view from, std::string_view to) {
        const auto letters = app_->published(from);
        const auto& letter = letters[letters.size() - 1];
        act() << "move from " << from << " to " << to << " | " << letter.text() << ours(letter.with)
              << '\n';
        send(to, letter.text(), letter.with);
    }
    void wait(std::chrono::nanoseconds time) {
        app_->advance(time);
        tell();
    }
    /// For a handler of the story: the process is killed here.
    void die() {
        tell();
        std::cout << killed;
        at_.crash();
    }
    /// For a transport of the story: the process is killed when a publish was just confirmed. The
    /// history notes the publish when the call returns, so the kill is told behind it.
    void die_after_publish() {
        at_.crash();
        died_publishing_ = true;
    }

private:
    static constexpr std::string_view killed = "! the process is killed\n";

    std::ostream& act() { return std::cout << "> " << waybill::to_text(app_->now()) << "  "; }
    void send(std::string_view address, std::string_view payload, const waybill::headers& with) {
        if (!at_.publish(address, payload, with)) throw std::runtime_error{"not published"};
        app_->rest();
        tell();
    }
    /// Every line of the history that was not told yet.
    void tell() {
        std::istringstream history{app_->history()};
        std::string line;
        for (std::size_t at = 0; std::getline(history, line); ++at) {
            if (line.ends_with(" lines before)")) throw std::runtime_error{"too long a story"};
            if (at < told_ || line == "  nothing") continue;
            told_ = at + 1;
            std::cout << line << about(line) << '\n';
            const bool published = line.find(published_to) != std::string::npos;
            if (published && std::exchange(died_publishing_, false)) std::cout << killed;
        }
    }
    /// The message of a line that delivers or publishes one.
    std::string about(std::string_view line) {
        const auto word = [&](std::size_t from) {
            return std::string{line.substr(from, line.find_first_of(" :", from) - from)};
        };
        if (line.find(" of a message for ") != line.npos) {
            const auto reader = word(line.find("  ", 2) + 2);
            const auto call = app_->calls(reader)[runs_[reader]++];
            const auto* text = reinterpret_cast<const char*>(call.payload.data());
            return " | " + std::string{text, call.payload.size()} + ours(call.with);
        }
        if (const auto at = line.find(published_to); at != line.npos) {
            const auto address = word(at + published_to.size());
            const auto message = app_->published(address)[sent_[address]++];
            return " | " + message.text() + ours(message.with);
        }
        return {};
    }
    /// The headers that the runtime wrote, a bar before each.
    static std::string ours(const waybill::headers& all) {
        std::string text;
        for (const auto& each : all) {
            if (!each.name.starts_with("waybill-")) continue;
            text += " | " + std::string{each.name} + ": " + each.value.to_string();
        }
        return text;
    }

    static constexpr std::string_view published_to = "published to ";

    waybill::memory::server at_;
    std::optional<waybill::test_app> app_;
    std::size_t told_ = 1;  ///< the first line is a heading
    std::map<std::string, std::size_t> runs_;
    std::map<std::string, std::size_t> sent_;
    bool died_publishing_ = false;
};

}  // namespace pictures
