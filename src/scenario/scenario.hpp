/// A scenario as plain data: what a service declares, what happens, and what is expected of it
/// (docs/scenarios.md is the format).
///
/// `read.hpp` makes it from a file, `runner.hpp` plays it, `explain.hpp` says what it comes to.
#pragma once

#include "scenario/json.hpp"
#include <waybill/declaration.hpp>
#include <waybill/headers.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace waybill::scenario {

using std::chrono::nanoseconds;

using bytes = std::vector<std::byte>;

/// What a handler publishes beside its answer.
struct publication {
    std::string to;
    bytes payload{};
};

/// What a handler does with one delivery.
struct answer {
    enum class kind : std::uint8_t {
        ack,
        drop,
        retry,
        retry_after,    ///< `delay`
        throws,         ///< a std::exception
        throws_number,  ///< `number`, which is none
        crash,          ///< the process dies inside of the handler
        reply,          ///< `reply`, to the subscription's reply_to; then ack
    };
    kind what = kind::ack;
    nanoseconds delay{0};
    int number = 0;
    std::string reply{};
    nanoseconds takes{0};                  ///< virtual time until it answers
    std::vector<publication> publishes{};  ///< before it answers
};

/// The first, second, ... delivery of each message; the last one repeats. Never empty.
using answers = std::vector<answer>;

/// The kinds of field that a declared message may have.
enum class field_kind : std::uint8_t {
    boolean,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    f32,
    f64,
    string,
};
inline constexpr std::size_t most_fields = 32;
struct message_field {
    std::string name;
    field_kind kind = field_kind::string;
};

enum class codec_name : std::uint8_t { raw, json, cbor, msgpack };

struct subscription {
    /// With the name, the source, the cap and all other policies. `from` is the transport's.
    declaration declared;
    codec_name codec = codec_name::raw;
    std::vector<message_field> message;  ///< with a codec: what it decodes; may be empty
    answers handler{answer{}};
    std::map<bytes, answers> handler_for;  ///< by the payload
};

namespace step {

struct publish {
    std::string to;
    bytes payload{};
    /// In place of the payload: written by the codec of the subscription that reads the address.
    std::optional<json::value> value{};
    headers with{};
    /// The transport's own, already read by it (`kit::read_properties`).
    nanoseconds time_to_live{0};
    std::uint64_t times = 1;
};
struct advance {
    nanoseconds by{0};
};
struct stop {
    std::optional<nanoseconds> timeout;
};
struct crash {};
struct restart {};
struct drop_connection {};
struct reconnect {};
struct fail_publishes {
    std::string to;
    std::uint64_t times = 1;
};
struct remove {  ///< "delete": the address disappears from the server
    std::string address;
};
struct restart_broker {};

using any = std::variant<publish, advance, stop, crash, restart, drop_connection, reconnect,
                         fail_publishes, remove, restart_broker>;

}  // namespace step

/// What must come out. Only what is listed is compared; a name that never occurred counts 0.
struct expectation {
    std::map<std::string, std::uint64_t> deliveries;
    std::map<std::string, std::uint64_t> published;
    std::map<std::string, std::map<std::string, std::uint64_t>> settled;
    std::map<std::string, std::uint64_t> queued;
    std::optional<std::uint64_t> waiting;
    std::optional<std::string> refused;  ///< part of a problem or of its fix
    std::vector<json::value> trace;      ///< objects, in this order, others between allowed
};

/// The options of a transport's server, as its kit has read them.
struct broker_options {
    virtual ~broker_options() = default;
};

struct scenario {
    std::string name;
    std::string transport;
    std::shared_ptr<const broker_options> broker;  ///< never null
    std::vector<subscription> subscriptions;
    std::vector<step::any> steps;
    std::optional<expectation> expect;
};

}  // namespace waybill::scenario
