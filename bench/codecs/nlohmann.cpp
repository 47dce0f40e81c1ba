#include "rows.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(payment, order, cents)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(address, street, city, postcode)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(item, sku, count, cents, note)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(purchase, id, customer, currency, ship_to, items, total, paid)

namespace {

using nlohmann::json;

std::string transcoded(std::string_view format, std::string_view text) {
    const auto tree = nlohmann::ordered_json::parse(text);
    std::string out;
    if (format == "cbor")
        nlohmann::ordered_json::to_cbor(tree, out);
    else if (format == "msgpack")
        nlohmann::ordered_json::to_msgpack(tree, out);
    else
        out = tree.dump();
    return out;
}

template <class T, class Parse, class Write>
void add_format(rows& all, const std::string& format, const std::string& size, const T& sample,
                Parse parse, Write write) {
    const std::string_view text = payload_of(format, size);
    all.push_back({format, size, "decode", "nlohmann-json, to its DOM",
                   repeated([=] { (void)parse(text); })});
    add_decoder(all, format, size, "nlohmann-json", sample,
                [=](T& into) { parse(text).get_to(into); });
    add_encoder(all, format, size, "nlohmann-json", [=] { return write(json(sample)).size(); });
}

}  // namespace

std::string_view payload_of(std::string_view format, std::string_view size) {
    static std::map<std::string, std::string, std::less<>> payloads;
    if (payloads.empty()) {
        for_each_message([&](const std::string& of, const auto& sample) {
            const auto json = encoded(waybill::codecs::json(), sample);
            const std::string_view text{reinterpret_cast<const char*>(json.data()), json.size()};
            for (const std::string name : {"json", "cbor", "msgpack"})
                payloads[name + of] = transcoded(name, text);
        });
    }
    return payloads.find(std::string{format} + std::string{size})->second;
}

void add_nlohmann(rows& all) {
    for_each_message([&](const std::string& size, const auto& sample) {
        add_format(
            all, "json", size, sample, [](auto text) { return json::parse(text); },
            [](const json& from) { return from.dump(); });
        add_format(
            all, "cbor", size, sample, [](auto bytes) { return json::from_cbor(bytes); },
            [](const json& from) { return json::to_cbor(from); });
        add_format(
            all, "msgpack", size, sample, [](auto bytes) { return json::from_msgpack(bytes); },
            [](const json& from) { return json::to_msgpack(from); });
    });
}

}  // namespace bench
