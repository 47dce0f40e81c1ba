#include <waybill/codec.hpp>

#include <bit>

namespace waybill {

static_assert(std::endian::native == std::endian::little,
              "the codecs load eight bytes at once and take the first for the lowest");

codec_interface::~codec_interface() = default;

}  // namespace waybill
