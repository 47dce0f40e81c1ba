#include <waybill/detail/invocation.hpp>

namespace waybill::detail {
namespace {

bool encode_into(invocation& call, const codec_interface& format, std::string_view address,
                 const value_type& type, const void* value) {
    auto& bytes = call.staged->begin(address);
    if (const auto written = format.encode(type, value, bytes); !written) {
        call.staged->cancel();
        call.problem = "the message for " + std::string{address} +
                       " could not be encoded: " + written.error().message();
        return false;
    }
    call.staged->end();
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
