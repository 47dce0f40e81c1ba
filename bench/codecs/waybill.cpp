#include "rows.hpp"

#include <memory>

namespace bench {

void add_waybill(rows& all) {
    for (const auto& codec : codecs()) {
        for_each_message([&]<class T>(const std::string& size, const T& sample) {
            const std::string format{codec->name()};
            const auto& type = waybill::value_type_of<T>();
            const auto payload = std::make_shared<waybill::byte_buffer>();
            payload->append(payload_of(format, size));
            add_decoder(all, format, size, "Waybill", sample,
                        [=, &type](T& into) { decode(*codec, type, &into, payload->bytes()); });
            const auto out = std::make_shared<waybill::byte_buffer>();
            add_encoder(all, format, size, "Waybill", [=, &type] {
                out->clear();
                encode(*codec, type, &sample, *out);
                return out->size();
            });
        });
    }
}

}  // namespace bench
