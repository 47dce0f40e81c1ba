#include "json_codec.hpp"

namespace waybill {

codec codecs::json(json_options options) {
    static const codec usual = std::make_shared<const json_codec>(json_options{});
    static const codec strict = std::make_shared<const json_codec>(json_options{.strict = true});
    return options.strict ? strict : usual;
}

}  // namespace waybill
