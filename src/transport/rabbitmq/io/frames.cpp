#include "transport/rabbitmq/io/frames.hpp"

namespace waybill::rabbitmq::io {

const char* name_of(method_id method) noexcept {
    switch (method) {
        case method_id::connection_close:
            return "connection.close";
        case method_id::channel_open:
            return "channel.open";
        case method_id::channel_close:
            return "channel.close";
        case method_id::exchange_declare:
            return "exchange.declare";
        case method_id::exchange_bind:
            return "exchange.bind";
        case method_id::queue_declare:
            return "queue.declare";
        case method_id::queue_bind:
            return "queue.bind";
        case method_id::queue_delete:
            return "queue.delete";
        case method_id::basic_qos:
            return "basic.qos";
        case method_id::basic_consume:
            return "basic.consume";
        case method_id::basic_cancel:
            return "basic.cancel";
        case method_id::confirm_select:
            return "confirm.select";
        default:
            return "a method";
    }
}

}  // namespace waybill::rabbitmq::io
