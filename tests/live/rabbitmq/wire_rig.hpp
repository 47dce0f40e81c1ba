/// A wire to the server that the environment names, and a witness of what it tells.
#pragma once

#include "transport/rabbitmq/settings.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace live::wire_rig {

namespace rabbitmq = waybill::rabbitmq;
using namespace std::chrono_literals;

/// What scripts/live.sh says; a run without it is a failure.
inline std::string environment(const char* name) {
    const char* value = std::getenv(name);
    REQUIRE_MESSAGE(value != nullptr, name << " is not set: run these by scripts/live.sh");
    return value;
}

inline rabbitmq::connection_settings settings(const std::string& url) {
    auto parsed = rabbitmq::parse_url(url);
    REQUIRE(parsed.has_value());
    return *parsed;
}

inline std::unique_ptr<rabbitmq::wire> opened(const std::string& url) {
    auto wire = rabbitmq::make_connector(settings(url))->open("wire test");
    REQUIRE_MESSAGE(wire.has_value(), (wire ? "" : wire.error().message()));
    return std::move(*wire);
}
inline std::unique_ptr<rabbitmq::wire> opened() { return opened(environment("WAYBILL_RABBITMQ")); }

inline std::string bytes_as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> as_bytes(std::string_view text) {
    return std::as_bytes(std::span{text});
}

/// A queue of that name, to be looked at; and one that goes with the connection. @{
inline rabbitmq::queue_spec named(std::string name) {
    rabbitmq::queue_spec spec;
    spec.name = std::move(name);
    return spec;
}
inline rabbitmq::queue_spec own(std::string name, waybill::headers arguments = {}) {
    auto spec = named(std::move(name));
    spec.exclusive = true;
    spec.arguments = std::move(arguments);
    return spec;
}
/// @}
/// An exchange that goes with the last binding from it.
inline rabbitmq::exchange_spec passing(std::string name, std::string type) {
    rabbitmq::exchange_spec spec;
    spec.name = std::move(name);
    spec.type = std::move(type);
    spec.durable = false;
    spec.auto_delete = true;
    return spec;
}

/// Everything that was told, in order.
struct witness final : rabbitmq::wire_events {
    struct message {
        rabbitmq::channel_id channel = 0;
        std::string consumer;
        std::uint64_t tag = 0;
        bool redelivered = false;
        std::string exchange;
        std::string key;
        waybill::headers all;
        std::string body;
        bool whole = false;
    };
    std::vector<message> messages;
    std::vector<std::string> told;

    std::byte* begins(const rabbitmq::arrival& head) override {
        messages.push_back({head.channel, std::string{head.consumer}, head.tag, head.redelivered,
                            std::string{head.exchange}, std::string{head.key},
                            waybill::headers::copy_of(head.packed_headers),
                            std::string(head.body_size, '?'), false});
        return reinterpret_cast<std::byte*>(messages.back().body.data());
    }
    void arrived() override { messages.back().whole = true; }
    void returned(const rabbitmq::returned_message& what) override {
        told.push_back("returned " + std::to_string(what.code) + " " + std::string{what.exchange} +
                       "/" + std::string{what.key});
        const auto all = waybill::headers::borrow(what.packed_headers);
        if (const auto id = all.text(rabbitmq::property::message_id))
            told.back() += " " + std::string{*id};
    }
    void confirmed(rabbitmq::channel_id channel, std::uint64_t tag, bool multiple,
                   bool taken) override {
        told.push_back((taken ? "ack " : "nack ") + std::to_string(channel) + ":" +
                       std::to_string(tag) + (multiple ? "..." : ""));
        if (multiple ? tag > settled : tag == settled + 1) settled = tag;
    }
    void cancelled(rabbitmq::channel_id channel, std::string_view consumer) override {
        told.push_back("cancelled " + std::to_string(channel) + ":" + std::string{consumer});
    }
    void channel_closed(rabbitmq::channel_id channel, const rabbitmq::refusal& why) override {
        told.push_back("closed " + std::to_string(channel) + ": " + std::to_string(why.code) + " " +
                       why.text);
    }
    void blocked(std::string_view reason) override {
        told.push_back("blocked " + std::string{reason});
    }

    /// All publishes up to this one are confirmed, where they are confirmed in order.
    std::uint64_t settled = 0;

    [[nodiscard]] bool was_told(std::string_view beginning) const {
        for (const auto& one : told)
            if (one.starts_with(beginning)) return true;
        return false;
    }
};

/// Reads until it holds; fails after 20 s.
inline void until(rabbitmq::wire& wire, witness& seen, const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!holds()) {
        const auto flushed = wire.flush();
        REQUIRE_MESSAGE(flushed.has_value(), (flushed ? "" : flushed.error().text));
        const auto some = wire.read(seen);
        REQUIRE_MESSAGE(some.has_value(), (some ? "" : some.error().text));
        REQUIRE(std::chrono::steady_clock::now() < deadline);
        if (!*some) wire.wait(100ms);
    }
}

/// The words of a refusal that must be one.
template <class Answer>
std::string refused(const Answer& answer) {
    REQUIRE_FALSE(answer.has_value());
    return std::to_string(answer.error().code) + " " + answer.error().text;
}

}  // namespace live::wire_rig
