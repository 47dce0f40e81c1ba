#define MSGPACK_NO_BOOST
#include "rows.hpp"

#include <msgpack.hpp>

#include <memory>

namespace msgpack::adaptor {

// Maps by name, as the other libraries write them; msgpack-c's own macros for a struct do the same
// by way of a std::map for each object.
template <bench::message T>
struct convert<T> {
    const msgpack::object& operator()(const msgpack::object& from, T& to) const {
        if (from.type != type::MAP) throw type_error();
        for (const auto& [key, value] : std::span{from.via.map.ptr, from.via.map.size}) {
            const std::string_view name{key.via.str.ptr, key.via.str.size};
            bench::visit_fields(to, [&](std::string_view field, auto& member) {
                if (field == name) value.convert(member);
            });
        }
        return from;  // NOLINT(bugprone-return-const-ref-from-parameter): msgpack-c wants it
    }
};

template <bench::message T>
struct pack<T> {
    template <class Stream>
    packer<Stream>& operator()(packer<Stream>& to, const T& from) const {
        to.pack_map(bench::count_fields(from));
        bench::visit_fields(from, [&](std::string_view name, const auto& member) {
            to.pack(name);
            to.pack(member);
        });
        return to;
    }
};

}  // namespace msgpack::adaptor

namespace bench {

void add_msgpack_c(rows& all) {
    for_each_message([&]<class T>(const std::string& size, const T& sample) {
        const std::string_view bytes = payload_of("msgpack", size);
        const auto zone = std::make_shared<msgpack::zone>();
        add_decoder(all, "msgpack", size, "msgpack-c", sample, [=](T& into) {
            zone->clear();
            msgpack::unpack(*zone, bytes.data(), bytes.size()).convert(into);
        });
        const auto out = std::make_shared<msgpack::sbuffer>();
        add_encoder(all, "msgpack", size, "msgpack-c", [=] {
            out->clear();
            msgpack::pack(*out, sample);
            return out->size();
        });
    });
}

}  // namespace bench
