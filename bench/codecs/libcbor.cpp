#include "rows.hpp"

#include <cbor.h>

namespace bench {
namespace {

std::string_view text_of(const cbor_item_t* from) {
    return {reinterpret_cast<const char*>(cbor_string_handle(from)), cbor_string_length(from)};
}

template <class Number>
    requires std::is_arithmetic_v<Number>
void read(const cbor_item_t* from, Number& to) {
    to = static_cast<Number>(cbor_get_int(from));
}
void read(const cbor_item_t* from, bool& to) { to = cbor_get_bool(from); }
void read(const cbor_item_t* from, std::string& to) { to.assign(text_of(from)); }
void read(const cbor_item_t* from, std::vector<item>& to);
template <message T>
void read(const cbor_item_t* from, T& to) {
    for (const cbor_pair& pair : std::span{cbor_map_handle(from), cbor_map_size(from)}) {
        const std::string_view name = text_of(pair.key);
        visit_fields(to, [&](std::string_view field, auto& member) {
            if (field == name) read(pair.value, member);
        });
    }
}
void read(const cbor_item_t* from, std::vector<item>& to) {
    to.resize(cbor_array_size(from));
    for (std::size_t at = 0; at < to.size(); ++at) read(cbor_array_handle(from)[at], to[at]);
}

}  // namespace

void add_libcbor(rows& all) {
    for_each_message([&]<class T>(const std::string& size, const T& sample) {
        const std::string_view bytes = payload_of("cbor", size);
        add_decoder(all, "cbor", size, "libcbor", sample, [=](T& into) {
            cbor_load_result result{};
            cbor_item_t* root =
                cbor_load(reinterpret_cast<cbor_data>(bytes.data()), bytes.size(), &result);
            if (root == nullptr) std::abort();
            read(root, into);
            cbor_decref(&root);
        });
    });
}

}  // namespace bench
