#include "binary_codec.hpp"
#include "msgpack_format.hpp"

namespace waybill {

codec codecs::msgpack() {
    static const codec only = std::make_shared<const binary_codec<msgpack_format>>();
    return only;
}

}  // namespace waybill
