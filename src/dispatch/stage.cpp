#include <waybill/detail/invocation.hpp>

namespace waybill::detail {
namespace {

/// A message that is begun, and taken back unless it is finished: a codec of the user's may throw,
/// and the handler may catch that.
class begun {
public:
    begun(staging& all, std::string_view address) : all_(all), bytes_(all.begin(address)) {}
    ~begun() {
        if (!is_finished_) all_.cancel();
    }
    begun(const begun&) = delete;
    begun& operator=(const begun&) = delete;

    [[nodiscard]] byte_buffer& bytes() noexcept { return bytes_; }
    void finish() noexcept {
        all_.end();
        is_finished_ = true;
    }

private:
    staging& all_;
    byte_buffer& bytes_;
    bool is_finished_ = false;
};

bool encode_into(invocation& call, const codec_interface& format, std::string_view address,
                 const value_type& type, const void* value) {
    begun message{*call.staged, address};
    if (const auto written = format.encode(type, value, message.bytes()); !written) {
        call.problem = "the message for " + std::string{address} +
                       " could not be encoded: " + written.error().message();
        return false;
    }
    message.finish();
    return true;
}

}  // namespace

bool stage(invocation& call, const bound_output& to, const void* value) {
    return encode_into(call, *to.format, to.address, *to.type, value);
}

bool stage_to(invocation& call, std::string_view address, const value_type& type,
              const void* value) {
    if (!call.format) {
        call.problem = "the subscription has no codec to encode " + std::string{type.name};
        return false;
    }
    return encode_into(call, *call.format, address, type, value);
}

void stage_bytes(invocation& call, std::string_view address, std::span<const std::byte> payload) {
    call.staged->begin(address).append(payload.data(), payload.size());
    call.staged->end();
}

}  // namespace waybill::detail
