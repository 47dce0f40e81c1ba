/// What a handler wants published before its delivery is acked: replies and `out<T...>`.
///
/// Guarantee: nothing is sent while the handler runs; what was staged is published and confirmed
/// before the ack, and thrown away with every other outcome. Belongs to one lane.
#pragma once

#include <waybill/codec.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace waybill::detail {

class staging {
public:
    [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }

    /// Begins a message to `address`; what is appended to the buffer until `end` is its payload.
    byte_buffer& begin(std::string_view address) {
        items_.push_back({bytes_.size(), address.size(), bytes_.size() + address.size(), 0});
        bytes_.append(address.data(), address.size());
        return bytes_;
    }
    void end() noexcept {
        auto& item = items_.back();
        item.payload_size = bytes_.size() - item.payload_at;
    }
    /// Takes back the message that was begun.
    void cancel() {
        bytes_.resize(items_.back().address_at);
        items_.pop_back();
    }
    void clear() noexcept {
        items_.clear();
        bytes_.clear();
    }

    /// Valid until the staging changes.
    [[nodiscard]] std::string_view address(std::size_t at) const noexcept {
        const auto& item = items_[at];
        return {reinterpret_cast<const char*>(bytes_.data()) + item.address_at, item.address_size};
    }
    [[nodiscard]] std::span<const std::byte> payload(std::size_t at) const noexcept {
        const auto& item = items_[at];
        return {bytes_.data() + item.payload_at, item.payload_size};
    }

private:
    struct item {
        std::size_t address_at;
        std::size_t address_size;
        std::size_t payload_at;
        std::size_t payload_size;
    };
    std::vector<item> items_;
    byte_buffer bytes_;
};

}  // namespace waybill::detail
