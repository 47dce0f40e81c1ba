#include <waybill/codec.hpp>

namespace waybill {

codec_interface::~codec_interface() = default;

}  // namespace waybill
