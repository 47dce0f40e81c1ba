#include "binary_codec.hpp"
#include "cbor_format.hpp"

namespace waybill {

codec codecs::cbor() {
    static const codec only = std::make_shared<const binary_codec<cbor_format>>();
    return only;
}

}  // namespace waybill
