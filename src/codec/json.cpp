#include "json_codec.hpp"

namespace waybill {

codec codecs::json() {
    static const codec only = std::make_shared<const json_codec>();
    return only;
}

}  // namespace waybill
