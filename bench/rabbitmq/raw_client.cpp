#include "rabbitmq/raw_client.hpp"

#include <amqp_tcp_socket.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

namespace bench {
namespace {

constexpr amqp_channel_t channel = 1;

amqp_bytes_t bytes_of(std::string_view text) {
    return {text.size(), const_cast<char*>(text.data())};
}

[[noreturn]] void give_up(const char* what, const std::string& why) {
    std::cerr << "bench_rabbitmq: " << what << ": " << why << '\n';
    std::exit(1);
}

std::string words_of(const amqp_rpc_reply_t& reply) {
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) {
        return amqp_error_string2(reply.library_error);
    }
    if (reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD) {
        const auto text = static_cast<amqp_channel_close_t*>(reply.reply.decoded)->reply_text;
        return {static_cast<const char*>(text.bytes), text.len};
    }
    return "the server closed the connection";
}

}  // namespace

std::string numbered_body(std::size_t number) {
    auto text = std::to_string(number);
    text.resize(body_size, '.');
    return text;
}

raw_client::raw_client(const std::string& url) : state_{amqp_new_connection()} {
    std::string parsed = url;
    amqp_connection_info info{};
    if (amqp_parse_url(parsed.data(), &info) != AMQP_STATUS_OK) {
        give_up("the URL", "rabbitmq-c cannot read it");
    }
    auto* socket = amqp_tcp_socket_new(state_);
    if (amqp_socket_open(socket, info.host, info.port) != AMQP_STATUS_OK) {
        give_up("connecting", "no server listens there");
    }
    const auto in = amqp_login(state_, info.vhost, 0, AMQP_DEFAULT_FRAME_SIZE, 0,
                               AMQP_SASL_METHOD_PLAIN, info.user, info.password);
    if (in.reply_type != AMQP_RESPONSE_NORMAL) give_up("logging in", words_of(in));
    amqp_channel_open(state_, channel);
    check("opening a channel");
}

raw_client::~raw_client() {
    if (has_envelope_) amqp_destroy_envelope(&envelope_);
    amqp_connection_close(state_, AMQP_REPLY_SUCCESS);
    amqp_destroy_connection(state_);
}

void raw_client::check(const char* what) {
    const auto reply = amqp_get_rpc_reply(state_);
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) give_up(what, words_of(reply));
}

void raw_client::make_queue(const std::string& name, queue_kind kind) {
    delete_queue(name);
    amqp_table_entry_t type{};
    type.key = bytes_of("x-queue-type");
    type.value.kind = AMQP_FIELD_KIND_UTF8;
    type.value.value.bytes = bytes_of("quorum");
    const amqp_table_t with{kind == queue_kind::quorum ? 1 : 0, &type};
    amqp_queue_declare(state_, channel, bytes_of(name), 0, 1, 0, 0, with);
    check("declaring a queue");
}

void raw_client::delete_queue(const std::string& name) {
    amqp_queue_delete(state_, channel, bytes_of(name), 0, 0);
    check("deleting a queue");
}

std::uint32_t raw_client::ready(const std::string& name) {
    const auto* state =
        amqp_queue_declare(state_, channel, bytes_of(name), 1, 0, 0, 0, amqp_empty_table);
    check("looking at a queue");
    return state->message_count;
}

void raw_client::expect_ready(const std::string& name, std::uint32_t count) {
    // What a connection had in hand comes back a little after its end.
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    auto there = ready(name);
    while (there != count && std::chrono::steady_clock::now() < limit) {
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        there = ready(name);
    }
    if (there == count) return;
    give_up(name.c_str(), "it should hold " + std::to_string(count) + " messages and holds " +
                              std::to_string(there));
}

void raw_client::select_confirms() {
    amqp_confirm_select(state_, channel);
    check("asking for confirmations");
}

void raw_client::publish(std::string_view queue, std::string_view body, queue_kind kind) {
    amqp_basic_properties_t with{};
    with._flags = AMQP_BASIC_DELIVERY_MODE_FLAG;
    with.delivery_mode = kind == queue_kind::quorum ? 2 : 1;
    const auto sent = amqp_basic_publish(state_, channel, amqp_empty_bytes, bytes_of(queue), 1, 0,
                                         &with, bytes_of(body));
    if (sent != AMQP_STATUS_OK) give_up("publishing", amqp_error_string2(sent));
    ++published_;
    confirmed_.push_back(false);
    ++unconfirmed_;
}

void raw_client::await_confirms(std::size_t most) {
    while (unconfirmed_ > most) {
        amqp_maybe_release_buffers(state_);
        amqp_frame_t frame;
        if (const auto got = amqp_simple_wait_frame(state_, &frame); got != AMQP_STATUS_OK) {
            give_up("waiting for a confirmation", amqp_error_string2(got));
        }
        if (frame.frame_type != AMQP_FRAME_METHOD) continue;
        if (frame.payload.method.id != AMQP_BASIC_ACK_METHOD) {
            give_up("waiting for a confirmation", "the server answered something else");
        }
        const auto* ack = static_cast<amqp_basic_ack_t*>(frame.payload.method.decoded);
        const auto last = ack->delivery_tag - first_;
        for (auto at = ack->multiple != 0 ? 0 : last; at <= last; ++at) {
            if (confirmed_[at]) continue;
            confirmed_[at] = true;
            --unconfirmed_;
        }
        if (unconfirmed_ == 0) {
            confirmed_.clear();
            first_ = published_ + 1;
        }
    }
}

void raw_client::fill(const std::string& queue, std::size_t count, queue_kind kind) {
    for (std::size_t at = 0; at < count; ++at) {
        await_confirms(window_size - 1);
        publish(queue, numbered_body(at), kind);
    }
    await_confirms();
}

void raw_client::consume(const std::string& queue, std::uint16_t prefetch) {
    amqp_basic_qos(state_, channel, 0, prefetch, 0);
    check("setting the prefetch");
    amqp_basic_consume(state_, channel, bytes_of(queue), amqp_empty_bytes, 0, 0, 0,
                       amqp_empty_table);
    check("consuming");
}

std::uint64_t raw_client::next() {
    if (has_envelope_) amqp_destroy_envelope(&envelope_);
    amqp_maybe_release_buffers(state_);
    const auto got = amqp_consume_message(state_, &envelope_, nullptr, 0);
    if (got.reply_type != AMQP_RESPONSE_NORMAL) give_up("consuming", words_of(got));
    has_envelope_ = true;
    return envelope_.delivery_tag;
}

void raw_client::ack(std::uint64_t tag) {
    if (const auto sent = amqp_basic_ack(state_, channel, tag, 0); sent != AMQP_STATUS_OK) {
        give_up("acking", amqp_error_string2(sent));
    }
}

std::string_view raw_client::body() const noexcept {
    const auto& bytes = envelope_.message.body;
    return {static_cast<const char*>(bytes.bytes), bytes.len};
}

}  // namespace bench
