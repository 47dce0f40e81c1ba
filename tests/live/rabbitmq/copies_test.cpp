#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace live;
using namespace std::chrono_literals;
using waybill::rabbitmq::queue;

namespace {

amqp_bytes_t as_bytes(const std::string& text) {
    return {text.size(), const_cast<char*>(text.data())};
}

/// Headers to be sent. What they view outlives them.
class header_table {
public:
    header_table& add(const char* name, amqp_field_value_t value) {
        entries_.push_back({amqp_cstring_bytes(name), value});
        return *this;
    }
    header_table& add_text(const char* name, const std::string& text,
                           std::uint8_t kind = AMQP_FIELD_KIND_UTF8) {
        amqp_field_value_t value{};
        value.kind = kind;
        value.value.bytes = as_bytes(text);
        return add(name, value);
    }
    template <class T>
    header_table& add(const char* name, std::uint8_t kind,
                      T decltype(amqp_field_value_t::value)::* at, T what) {
        amqp_field_value_t value{};
        value.kind = kind;
        value.value.*at = what;
        return add(name, value);
    }
    amqp_table_t table() { return {static_cast<int>(entries_.size()), entries_.data()}; }
    void into(amqp_basic_properties_t& to) {
        to._flags |= AMQP_BASIC_HEADERS_FLAG;
        to.headers = table();
    }

private:
    std::vector<amqp_table_entry_t> entries_;
};

/// Every header of the first stands in the second, in that order and before all others.
void check_begins_with(const plain_message& copy, const plain_message& original) {
    REQUIRE(copy.headers.size() >= original.headers.size());
    for (std::size_t at = 0; at < original.headers.size(); ++at) {
        CHECK(copy.headers[at].first == original.headers[at].first);
        CHECK(copy.headers[at].second == original.headers[at].second);
    }
}

/// A service whose every retry is a copy to `.aside`, where nobody reads, and whose dead letter is
/// `.dead`.
void begin(plain_client& client, service& reads, const std::string& name, int cap,
           waybill::outcome answer = waybill::retry(), bool keeps_deaths = false) {
    for (const auto* each : {"", ".dead"}) client.delete_queue(name + each);
    client.make_queue(name + ".aside");
    queue from{name};
    if (keeps_deaths) from.keep_deaths();
    reads.subscribe(from, [answer](const call&, waybill::context&) { return answer; })
        .max_attempts(cap)
        .dead_letter(name + ".dead")
        .retry_to(name + ".aside");
    reads.start();
}

plain_message wait_for(plain_client& client, const std::string& queue) {
    REQUIRE(eventually([&] { return client.ready(queue) >= 1; }));
    auto got = client.get(queue);
    REQUIRE(got.has_value());
    return *got;
}

/// Publishes the same twice: to be looked at as it is, and to be moved.
plain_message send(plain_client& client, const std::string& name,
                   const amqp_basic_properties_t& with) {
    client.make_queue("copies.original");
    client.publish("", "copies.original", "body", &with);
    client.publish("", name, "body", &with);
    client.confirm();
    return wait_for(client, "copies.original");
}

}  // namespace

TEST_CASE("copies and dead letters keep every header and property, type for type") {
    using value = decltype(amqp_field_value_t::value);
    const std::string long_text(255, 'x');
    const std::string no_text;
    const std::string binary{"\0\xff\x80", 3};
    amqp_field_value_t items[2]{};
    items[0].kind = AMQP_FIELD_KIND_I16;
    items[0].value.i16 = -7;
    items[1].kind = AMQP_FIELD_KIND_VOID;
    header_table inner;
    inner.add_text("deep", long_text).add("yes", AMQP_FIELD_KIND_BOOLEAN, &value::boolean, 1);
    header_table all;
    all.add("bool", AMQP_FIELD_KIND_BOOLEAN, &value::boolean, 1)
        .add("i8", AMQP_FIELD_KIND_I8, &value::i8, std::int8_t{-8})
        .add("u8", AMQP_FIELD_KIND_U8, &value::u8, std::uint8_t{200})
        .add("i16", AMQP_FIELD_KIND_I16, &value::i16, std::int16_t{-1600})
        .add("u16", AMQP_FIELD_KIND_U16, &value::u16, std::uint16_t{60000})
        .add("i32", AMQP_FIELD_KIND_I32, &value::i32, std::int32_t{-320000})
        .add("u32", AMQP_FIELD_KIND_U32, &value::u32, std::uint32_t{4'000'000'000U})
        .add("i64", AMQP_FIELD_KIND_I64, &value::i64, std::int64_t{-6'400'000'000'000})
        .add("f32", AMQP_FIELD_KIND_F32, &value::f32, 1.5F)
        .add("f64", AMQP_FIELD_KIND_F64, &value::f64, -0.1)
        .add("decimal", AMQP_FIELD_KIND_DECIMAL, &value::decimal, amqp_decimal_t{2, 314})
        .add("time", AMQP_FIELD_KIND_TIMESTAMP, &value::u64, std::uint64_t{1'700'000'000})
        .add_text("text", long_text)
        .add_text("empty", no_text)
        .add_text("bytes", binary, AMQP_FIELD_KIND_BYTES)
        .add("list", AMQP_FIELD_KIND_ARRAY, &value::array, amqp_array_t{2, items})
        .add("table", AMQP_FIELD_KIND_TABLE, &value::table, inner.table());
    amqp_field_value_t nothing{};
    nothing.kind = AMQP_FIELD_KIND_VOID;
    all.add("void", nothing);

    const auto user = login_of_server().user;
    auto with = persistent();
    with.delivery_mode = 1;
    with._flags |= AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_CONTENT_ENCODING_FLAG |
                   AMQP_BASIC_PRIORITY_FLAG | AMQP_BASIC_CORRELATION_ID_FLAG |
                   AMQP_BASIC_REPLY_TO_FLAG | AMQP_BASIC_MESSAGE_ID_FLAG |
                   AMQP_BASIC_TIMESTAMP_FLAG | AMQP_BASIC_TYPE_FLAG | AMQP_BASIC_USER_ID_FLAG |
                   AMQP_BASIC_APP_ID_FLAG;
    with.content_type = amqp_cstring_bytes("application/json");
    with.content_encoding = as_bytes(no_text);
    with.priority = 3;
    with.correlation_id = as_bytes(long_text);
    with.reply_to = amqp_cstring_bytes("answers");
    with.message_id = amqp_cstring_bytes("m-1");
    with.timestamp = 1'700'000'001;
    with.type = amqp_cstring_bytes("click");
    with.user_id = as_bytes(user);
    with.app_id = amqp_cstring_bytes("shop");
    all.into(with);

    for (const int cap : {1, 5}) {
        plain_client client;
        const std::string name = "copies.types";
        service reads;
        begin(client, reads, name, cap);
        const auto original = send(client, name, with);
        const auto copy = wait_for(client, name + (cap == 1 ? ".dead" : ".aside"));
        CHECK(reads.stop());
        CHECK(original.headers.size() == 18);
        CHECK(copy.body == original.body);
        CHECK(copy.properties == original.properties);
        check_begins_with(copy, original);
        CHECK(copy.text("waybill-retry-count") == "1");
        CHECK(!copy.text("waybill-id").empty());
        CHECK(!copy.text("waybill-copy").empty());
        if (cap == 1) CHECK(copy.text("waybill-dead-reason") == "attempts");
    }
}

TEST_CASE("a copy is not sent where CC sent the original") {
    amqp_field_value_t there[1]{};
    there[0].kind = AMQP_FIELD_KIND_UTF8;
    there[0].value.bytes = amqp_cstring_bytes("copies.cc.other");
    amqp_field_value_t cc{};
    cc.kind = AMQP_FIELD_KIND_ARRAY;
    cc.value.array = {1, there};
    header_table all;
    all.add("CC", cc);
    all.add("BCC", cc);
    auto with = persistent();
    all.into(with);
    plain_client client;
    client.make_queue("copies.cc.other");
    service reads;
    begin(client, reads, "copies.cc", 5);
    client.publish("", "copies.cc", "body", &with);
    client.confirm();
    const auto copy = wait_for(client, "copies.cc.aside");
    CHECK(reads.stop());
    CHECK(copy.header("CC").empty());
    CHECK(copy.header("waybill-cc").find("copies.cc.other") != std::string::npos);
    // By CC and by BCC, and once each.
    CHECK(client.drain("copies.cc.other").size() <= 2);
}

TEST_CASE("a time to live becomes the time at which it ends") {
    auto with = persistent();
    with._flags |= AMQP_BASIC_EXPIRATION_FLAG;
    with.expiration = amqp_cstring_bytes("60000");
    plain_client client;
    service reads;
    begin(client, reads, "copies.ttl", 5);
    client.publish("", "copies.ttl", "body", &with);
    client.confirm();
    const auto copy = wait_for(client, "copies.ttl.aside");
    CHECK(reads.stop());
    CHECK(!copy.properties.contains("expiration"));
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    const auto ends = std::chrono::milliseconds{std::stoll(copy.text("waybill-expires-at"))};
    CHECK(ends > now + 20s);
    CHECK(ends <= now + 60s);
}

TEST_CASE("a wait that would end after the time to live is dead at once") {
    auto with = persistent();
    with._flags |= AMQP_BASIC_EXPIRATION_FLAG;
    with.expiration = amqp_cstring_bytes("20000");
    plain_client client;
    service reads;
    begin(client, reads, "copies.expired", 5, waybill::retry_after(60s));
    client.publish("", "copies.expired", "body", &with);
    client.confirm();
    const auto dead = wait_for(client, "copies.expired.dead");
    CHECK(reads.stop());
    CHECK(dead.text("waybill-dead-reason") == "expired");
    CHECK(!dead.properties.contains("expiration"));
}

TEST_CASE("the server's record of deaths is not copied, unless it is wanted") {
    for (const bool keeps : {false, true}) {
        plain_client client;
        const std::string name = "copies.deaths";
        service reads;
        begin(client, reads, name, 5, waybill::retry(), keeps);
        client.make_queue(name + ".before", {{"x-message-ttl", 1},
                                             {"x-dead-letter-exchange", ""},
                                             {"x-dead-letter-routing-key", name}});
        client.fill(name + ".before", 1);
        const auto copy = wait_for(client, name + ".aside");
        CHECK(reads.stop());
        const auto seen = reads.calls(name).front();
        CHECK(seen.headers.contains("x-death"));
        CHECK(copy.header("x-death").empty() != keeps);
        CHECK(copy.header("x-first-death-queue").empty() != keeps);
    }
}

TEST_CASE("a copy of another user's message does not say that it is theirs") {
    const auto vhost = login_of_server().vhost;
    ctl("set_permissions -p " + vhost + " guest '.*' '.*' '.*'");
    auto with = persistent();
    with._flags |= AMQP_BASIC_USER_ID_FLAG;
    with.user_id = amqp_cstring_bytes("guest");
    plain_client client;
    plain_client other{0, {"guest", "guest", vhost}};
    service reads;
    begin(client, reads, "copies.user", 5);
    other.publish("", "copies.user", "body", &with);
    other.confirm();
    const auto copy = wait_for(client, "copies.user.aside");
    CHECK(reads.stop());
    CHECK(!copy.properties.contains("user_id"));
    ctl("clear_permissions -p " + vhost + " guest");
}
