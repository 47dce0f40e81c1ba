#include "rows.hpp"

// The DOM of RapidJSON 1.1 assigns to a const member, which clang 19 refuses.
#if defined(__clang__)
void bench::add_rapidjson(rows& /*all*/) {}
#else

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <memory>

namespace bench {
namespace {

using value = rapidjson::Value;

void read(const value& from, std::uint64_t& to) { to = from.GetUint64(); }
void read(const value& from, std::uint32_t& to) { to = from.GetUint(); }
void read(const value& from, std::int64_t& to) { to = from.GetInt64(); }
void read(const value& from, bool& to) { to = from.GetBool(); }
void read(const value& from, std::string& to) {
    to.assign(from.GetString(), from.GetStringLength());
}
void read(const value& from, std::vector<item>& to);
template <message T>
void read(const value& from, T& to) {
    visit_fields(to, [&](const char* name, auto& field) { read(from[name], field); });
}
void read(const value& from, std::vector<item>& to) {
    to.resize(from.Size());
    for (rapidjson::SizeType at = 0; at < from.Size(); ++at) read(from[at], to[at]);
}

using writer = rapidjson::Writer<rapidjson::StringBuffer>;

void write(writer& to, std::uint64_t from) { to.Uint64(from); }
void write(writer& to, std::uint32_t from) { to.Uint(from); }
void write(writer& to, std::int64_t from) { to.Int64(from); }
void write(writer& to, bool from) { to.Bool(from); }
void write(writer& to, const std::string& from) {
    to.String(from.data(), static_cast<rapidjson::SizeType>(from.size()));
}
void write(writer& to, const std::vector<item>& from);
template <message T>
void write(writer& to, const T& from) {
    to.StartObject();
    visit_fields(from, [&](const char* name, const auto& field) {
        to.Key(name);
        write(to, field);
    });
    to.EndObject();
}
void write(writer& to, const std::vector<item>& from) {
    to.StartArray();
    for (const item& one : from) write(to, one);
    to.EndArray();
}

}  // namespace

void add_rapidjson(rows& all) {
    for_each_message([&]<class T>(const std::string& size, const T& sample) {
        const std::string_view text = payload_of("json", size);
        const auto pool = std::make_shared<rapidjson::MemoryPoolAllocator<>>();
        add_decoder(all, "json", size, "RapidJSON", sample, [=](T& into) {
            pool->Clear();
            rapidjson::Document document{pool.get()};
            if (document.Parse(text.data(), text.size()).HasParseError()) std::abort();
            read(document, into);
        });
        const auto out = std::make_shared<rapidjson::StringBuffer>();
        add_encoder(all, "json", size, "RapidJSON", [=] {
            out->Clear();
            writer to{*out};
            write(to, sample);
            return out->GetSize();
        });
    });
}

}  // namespace bench

#endif
