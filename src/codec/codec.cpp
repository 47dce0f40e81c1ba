#include "message/failure_record.hpp"
#include <waybill/own_codec.hpp>

#include <bit>

namespace waybill {

static_assert(std::endian::native == std::endian::little,
              "the codecs load eight bytes at once and take the first for the lowest");

codec_interface::~codec_interface() = default;

error detail::own_codec_error(errc code, std::string_view text) {
    return {code, "payload", valid_utf8(text, 180), {}};
}

}  // namespace waybill
