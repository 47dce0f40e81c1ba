#include "live/rig/plain_client.hpp"

#include "live/rig/server.hpp"

#include <amqp_tcp_socket.h>

#include <iterator>
#include <sstream>
#include <stdexcept>

namespace live {
namespace {

std::string text_of(amqp_bytes_t bytes) {
    return {static_cast<const char*>(bytes.bytes), bytes.len};
}

amqp_bytes_t bytes_of(std::string_view text) {
    return {text.size(), const_cast<char*>(text.data())};
}

std::string table_text(const amqp_table_t& table) {
    std::string all = "{";
    for (int at = 0; at < table.num_entries; ++at) {
        const auto& each = table.entries[at];
        all += (at == 0 ? "" : ",") + text_of(each.key) + '=' + to_text(each.value);
    }
    return all + '}';
}

/// The arguments of a declaration, as rabbitmq-c takes them.
class table_of {
public:
    explicit table_of(const std::vector<argument>& from) {
        for (const auto& each : from) {
            amqp_table_entry_t made{};
            made.key = bytes_of(each.name);
            if (const auto* text = std::get_if<std::string>(&each.value)) {
                made.value.kind = AMQP_FIELD_KIND_UTF8;
                made.value.value.bytes = bytes_of(*text);
            } else {
                made.value.kind = AMQP_FIELD_KIND_I64;
                made.value.value.i64 = std::get<std::int64_t>(each.value);
            }
            entries_.push_back(made);
        }
    }
    operator amqp_table_t() { return {static_cast<int>(entries_.size()), entries_.data()}; }

private:
    std::vector<amqp_table_entry_t> entries_;
};

void read_properties(const amqp_basic_properties_t& from, plain_message& to) {
    const auto add = [&](amqp_flags_t flag, const char* name, const std::string& value) {
        if ((from._flags & flag) != 0) to.properties[name] = value;
    };
    add(AMQP_BASIC_CONTENT_TYPE_FLAG, "content_type", text_of(from.content_type));
    add(AMQP_BASIC_CONTENT_ENCODING_FLAG, "content_encoding", text_of(from.content_encoding));
    add(AMQP_BASIC_DELIVERY_MODE_FLAG, "delivery_mode", std::to_string(from.delivery_mode));
    add(AMQP_BASIC_PRIORITY_FLAG, "priority", std::to_string(from.priority));
    add(AMQP_BASIC_CORRELATION_ID_FLAG, "correlation_id", text_of(from.correlation_id));
    add(AMQP_BASIC_REPLY_TO_FLAG, "reply_to", text_of(from.reply_to));
    add(AMQP_BASIC_EXPIRATION_FLAG, "expiration", text_of(from.expiration));
    add(AMQP_BASIC_MESSAGE_ID_FLAG, "message_id", text_of(from.message_id));
    add(AMQP_BASIC_TIMESTAMP_FLAG, "timestamp", std::to_string(from.timestamp));
    add(AMQP_BASIC_TYPE_FLAG, "type", text_of(from.type));
    add(AMQP_BASIC_USER_ID_FLAG, "user_id", text_of(from.user_id));
    add(AMQP_BASIC_APP_ID_FLAG, "app_id", text_of(from.app_id));
    if ((from._flags & AMQP_BASIC_HEADERS_FLAG) == 0) return;
    for (int at = 0; at < from.headers.num_entries; ++at) {
        const auto& each = from.headers.entries[at];
        to.headers.emplace_back(text_of(each.key), to_text(each.value));
    }
}

std::string words_of(const amqp_rpc_reply_t& reply) {
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) {
        return amqp_error_string2(reply.library_error);
    }
    if (reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD) {
        const auto* why = static_cast<amqp_channel_close_t*>(reply.reply.decoded);
        return std::to_string(why->reply_code) + ' ' + text_of(why->reply_text);
    }
    if (reply.reply.id == AMQP_CONNECTION_CLOSE_METHOD) {
        const auto* why = static_cast<amqp_connection_close_t*>(reply.reply.decoded);
        return std::to_string(why->reply_code) + ' ' + text_of(why->reply_text);
    }
    return "no answer";
}

constexpr timeval patience{30, 0};

}  // namespace

std::string to_text(const amqp_field_value_t& value) {
    std::ostringstream all;
    all << static_cast<char>(value.kind) << ':';
    switch (value.kind) {
        case AMQP_FIELD_KIND_BOOLEAN:
            all << value.value.boolean;
            break;
        case AMQP_FIELD_KIND_I8:
            all << int{value.value.i8};
            break;
        case AMQP_FIELD_KIND_U8:
            all << int{value.value.u8};
            break;
        case AMQP_FIELD_KIND_I16:
            all << value.value.i16;
            break;
        case AMQP_FIELD_KIND_U16:
            all << value.value.u16;
            break;
        case AMQP_FIELD_KIND_I32:
            all << value.value.i32;
            break;
        case AMQP_FIELD_KIND_U32:
            all << value.value.u32;
            break;
        case AMQP_FIELD_KIND_I64:
            all << value.value.i64;
            break;
        case AMQP_FIELD_KIND_U64:
        case AMQP_FIELD_KIND_TIMESTAMP:
            all << value.value.u64;
            break;
        case AMQP_FIELD_KIND_F32:
            all << value.value.f32;
            break;
        case AMQP_FIELD_KIND_F64:
            all << value.value.f64;
            break;
        case AMQP_FIELD_KIND_DECIMAL:
            all << value.value.decimal.value << "e-" << int{value.value.decimal.decimals};
            break;
        case AMQP_FIELD_KIND_UTF8:
        case AMQP_FIELD_KIND_BYTES:
            all << text_of(value.value.bytes);
            break;
        case AMQP_FIELD_KIND_ARRAY:
            for (int at = 0; at < value.value.array.num_entries; ++at) {
                all << (at == 0 ? "[" : ",") << to_text(value.value.array.entries[at]);
            }
            all << ']';
            break;
        case AMQP_FIELD_KIND_TABLE:
            all << table_text(value.value.table);
            break;
        default:
            break;
    }
    return all.str();
}

std::string plain_message::header(std::string_view name) const {
    for (const auto& [each, value] : headers) {
        if (each == name) return value;
    }
    return {};
}

std::string plain_message::text(std::string_view name) const {
    const auto found = header(name);
    return found.size() < 2 ? std::string{} : found.substr(2);
}

amqp_basic_properties_t persistent() {
    amqp_basic_properties_t made{};
    made._flags = AMQP_BASIC_DELIVERY_MODE_FLAG;
    made.delivery_mode = 2;
    return made;
}

plain_client::plain_client(std::uint16_t port, const login_words& to) {
    state_ = amqp_new_connection();
    auto* const socket = amqp_tcp_socket_new(state_);
    const int reached =
        amqp_socket_open_noblock(socket, "127.0.0.1", port != 0 ? port : server_port(), &patience);
    if (reached != 0) {
        amqp_destroy_connection(state_);
        throw std::runtime_error{"the plain client could not connect"};
    }
    const auto in = amqp_login(state_, to.vhost.c_str(), 0, 131072, 0, AMQP_SASL_METHOD_PLAIN,
                               to.user.c_str(), to.password.c_str());
    if (in.reply_type != AMQP_RESPONSE_NORMAL) {
        amqp_destroy_connection(state_);
        throw std::runtime_error{"the plain client could not log in: " + words_of(in)};
    }
    amqp_set_rpc_timeout(state_, &patience);
    open_channel();
}

plain_client::~plain_client() {
    amqp_connection_close(state_, AMQP_REPLY_SUCCESS);
    amqp_destroy_connection(state_);
}

void plain_client::open_channel() {
    amqp_channel_open(state_, ++channel_);
    check("channel.open");
    amqp_confirm_select(state_, channel_);
    check("confirm.select");
    published_ = 0;
    unconfirmed_.clear();
}

void plain_client::check(const std::string& what) {
    const auto reply = amqp_get_rpc_reply(state_);
    if (reply.reply_type == AMQP_RESPONSE_NORMAL) return;
    const auto why = what + ": " + words_of(reply);
    if (reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION &&
        reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD) {
        amqp_channel_close_ok_t seen{};
        amqp_send_method(state_, channel_, AMQP_CHANNEL_CLOSE_OK_METHOD, &seen);
        open_channel();
    }
    throw std::runtime_error{why};
}

void plain_client::make_queue(const std::string& name, const std::vector<argument>& with) {
    delete_queue(name);
    table_of arguments{with};
    amqp_queue_declare(state_, channel_, bytes_of(name), 0, 1, 0, 0, arguments);
    check("queue.declare " + name);
}

void plain_client::make_exchange(const std::string& name, const std::string& type,
                                 const std::vector<argument>& with) {
    delete_exchange(name);
    table_of arguments{with};
    amqp_exchange_declare(state_, channel_, bytes_of(name), bytes_of(type), 0, 1, 0, 0, arguments);
    check("exchange.declare " + name);
}

void plain_client::bind(const std::string& queue, const std::string& exchange,
                        const std::string& key) {
    amqp_queue_bind(state_, channel_, bytes_of(queue), bytes_of(exchange), bytes_of(key),
                    amqp_empty_table);
    check("queue.bind " + queue);
}

void plain_client::delete_queue(const std::string& name) {
    amqp_queue_delete(state_, channel_, bytes_of(name), 0, 0);
    check("queue.delete " + name);
}

void plain_client::delete_exchange(const std::string& name) {
    amqp_exchange_delete(state_, channel_, bytes_of(name), 0);
    check("exchange.delete " + name);
}

bool plain_client::exists(const std::string& queue) {
    try {
        (void)ready(queue);
        return true;
    } catch (const std::runtime_error& why) {
        if (std::string_view{why.what()}.find(" 404 ") == std::string_view::npos) throw;
        return false;
    }
}

/// A quorum queue that does not answer the server within 250 ms is said to be empty.
std::uint32_t plain_client::ready(const std::string& queue) {
    std::uint32_t count = 0;
    for (int looks = 0; count == 0 && looks < 3; ++looks) {
        const auto* state =
            amqp_queue_declare(state_, channel_, bytes_of(queue), 1, 0, 0, 0, amqp_empty_table);
        check("queue.declare " + queue + ":");
        count = state->message_count;
    }
    return count;
}

void plain_client::publish(const std::string& exchange, const std::string& key,
                           std::string_view body, const amqp_basic_properties_t* with) {
    const auto usual = persistent();
    const int status = amqp_basic_publish(state_, channel_, bytes_of(exchange), bytes_of(key), 0, 0,
                                          with != nullptr ? with : &usual, bytes_of(body));
    if (status != 0) throw std::runtime_error{amqp_error_string2(status)};
    unconfirmed_.insert(++published_);
    // More than these would fill both sockets, and nobody would read.
    if (unconfirmed_.size() >= 2000) confirm();
}

void plain_client::confirm() {
    while (!unconfirmed_.empty()) {
        amqp_frame_t frame{};
        const int status = amqp_simple_wait_frame_noblock(state_, &frame, &patience);
        if (status != 0) throw std::runtime_error{amqp_error_string2(status)};
        if (frame.frame_type != AMQP_FRAME_METHOD) continue;
        if (frame.payload.method.id != AMQP_BASIC_ACK_METHOD) {
            throw std::runtime_error{"a publish of the plain client was not confirmed"};
        }
        const auto* ack = static_cast<amqp_basic_ack_t*>(frame.payload.method.decoded);
        const auto end = unconfirmed_.upper_bound(ack->delivery_tag);
        const auto begin = ack->multiple != 0 ? unconfirmed_.begin() : std::prev(end);
        unconfirmed_.erase(begin, end);
        amqp_maybe_release_buffers(state_);
    }
}

void plain_client::fill(const std::string& queue, int count, const std::string& suffix) {
    for (int each = 0; each < count; ++each) publish("", queue, std::to_string(each) + suffix);
    confirm();
}

std::optional<plain_message> plain_client::fetch(const std::string& queue, bool acks) {
    amqp_maybe_release_buffers(state_);
    const auto reply = amqp_basic_get(state_, channel_, bytes_of(queue), acks ? 1 : 0);
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) check("basic.get " + queue);
    if (reply.reply.id != AMQP_BASIC_GET_OK_METHOD) return std::nullopt;
    const auto* head = static_cast<amqp_basic_get_ok_t*>(reply.reply.decoded);
    plain_message got;
    got.exchange = text_of(head->exchange);
    got.key = text_of(head->routing_key);
    got.redelivered = head->redelivered != 0;
    got.tag = head->delivery_tag;
    amqp_message_t content;
    const auto read = amqp_read_message(state_, channel_, &content, 0);
    if (read.reply_type != AMQP_RESPONSE_NORMAL) throw std::runtime_error{words_of(read)};
    got.body = text_of(content.body);
    read_properties(content.properties, got);
    amqp_destroy_message(&content);
    return got;
}

std::optional<plain_message> plain_client::get(const std::string& queue) {
    return fetch(queue, true);
}

std::optional<plain_message> plain_client::hold(const std::string& queue) {
    return fetch(queue, false);
}

std::vector<plain_message> plain_client::drain(const std::string& queue) {
    std::vector<plain_message> all;
    while (auto each = get(queue)) all.push_back(std::move(*each));
    return all;
}

}  // namespace live
