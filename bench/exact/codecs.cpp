#include "exact/cases.hpp"
#include "messages.hpp"

namespace bench {
namespace {

template <class T>
void add_cases(case_table& cases, const waybill::codec& with, const std::string& size,
               const T& sample) {
    const std::string name = "codec." + std::string{with->name()};
    cases[name + "_decode_" + size] = [=](std::size_t messages, meter& reads) {
        const auto& type = waybill::value_type_of<T>();
        const waybill::byte_buffer payload = encoded(with, sample);
        T object{};
        const auto round = [&] {
            for (std::size_t at = 0; at < messages; ++at) {
                decode(*with, type, &object, payload.bytes());
            }
        };
        round();
        reads.begin();
        round();
        reads.end();
    };
    cases[name + "_encode_" + size] = [=](std::size_t messages, meter& reads) {
        const auto& type = waybill::value_type_of<T>();
        waybill::byte_buffer out;
        const auto round = [&] {
            for (std::size_t at = 0; at < messages; ++at) {
                out.clear();
                encode(*with, type, &sample, out);
            }
        };
        round();
        reads.begin();
        round();
        reads.end();
    };
}

}  // namespace

void add_codec_cases(case_table& cases) {
    for (const auto& codec : codecs()) {
        add_cases(cases, codec, "28", make_payment());
        add_cases(cases, codec, "1k", make_purchase());
    }
}

}  // namespace bench
