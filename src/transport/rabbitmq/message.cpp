#include "transport/rabbitmq/message.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace waybill::rabbitmq {
namespace {

constexpr std::size_t padding = 64;
constexpr std::size_t smallest = 128;

std::size_t class_of(std::size_t size) noexcept {
    return size <= smallest ? 0 : static_cast<std::size_t>(std::bit_width((size - 1) / smallest));
}

}  // namespace

message_pool::~message_pool() {
    for (auto* each : all_) ::operator delete(each);
    for (auto* each : large_) ::operator delete(each);
}

message* message_pool::refill(std::size_t index, std::size_t size) {
    const bool is_pooled = index < class_count;
    void* const place = ::operator new(is_pooled ? smallest << index : size);
    is_pooled ? all_.push_back(place) : static_cast<void>(large_.insert(place));
    return static_cast<message*>(place);
}

message* message_pool::take(std::size_t headers, std::size_t address, std::size_t payload) {
    const auto size = sizeof(message) + headers + address + payload + padding;
    const auto index = class_of(size);
    auto* place = index < class_count ? free_[index] : nullptr;
    if (place != nullptr) {
        free_[index] = place->next;
    } else {
        place = refill(index, size);
    }
    auto* made = new (place) message;
    made->size_class = static_cast<std::uint8_t>(std::min(index, class_count));
    made->headers_size = static_cast<std::uint32_t>(headers);
    made->address_size = static_cast<std::uint32_t>(address);
    made->payload_size = payload;
    return made;
}

void message_pool::give(message* used) noexcept {
    if (used->size_class >= class_count) {
        large_.erase(used);
        return ::operator delete(used);
    }
    used->next = free_[used->size_class];
    free_[used->size_class] = used;
}

}  // namespace waybill::rabbitmq
