#include "binary_codec.hpp"
#include "cbor_deterministic.hpp"
#include "cbor_format.hpp"

namespace waybill {

codec codecs::cbor(cbor_options options) {
    static const codec usual = std::make_shared<const binary_codec<cbor_format>>();
    static const codec deterministic =
        std::make_shared<const binary_codec<cbor_format, deterministic_cbor_format>>();
    return options.deterministic ? deterministic : usual;
}

}  // namespace waybill
