#include "fault.hpp"
#include "utf8.hpp"
#include <waybill/codec.hpp>

#include <string>
#include <vector>

namespace waybill {
namespace {

std::string_view as_text(std::span<const std::byte> payload) noexcept {
    return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

std::unexpected<error> refuse(errc code, const value_type& type, std::string_view can) {
    std::string what = "a ";
    what += type.name;
    what = shortened(std::move(what), 60);
    what += " is not ";
    what += can;
    return std::unexpected(error{code, "payload", std::move(what), "name another codec"});
}

class raw_codec final : public codec_interface {
public:
    std::string_view name() const noexcept override { return "raw"; }
    std::string_view content_type() const noexcept override { return "application/octet-stream"; }
    bool supports(const value_type& type) const noexcept override {
        return type.kind == value_kind::bytes || type.kind == value_kind::string;
    }

    std::expected<void, error> decode(const value_type& type, void* object,
                                      std::span<const std::byte> payload,
                                      arena& /*kept*/) const override {
        if (type.kind == value_kind::bytes)
            static_cast<std::vector<std::byte>*>(object)->assign(payload.begin(), payload.end());
        else if (type.kind == value_kind::string)
            static_cast<std::string*>(object)->assign(as_text(payload));
        else
            return refuse(errc::decode, type, "bytes");
        return {};
    }

    std::expected<void, error> encode(const value_type& type, const void* object,
                                      byte_buffer& out) const override {
        if (type.kind == value_kind::bytes) {
            const auto& bytes = *static_cast<const std::vector<std::byte>*>(object);
            out.append(bytes.data(), bytes.size());
        } else if (type.kind == value_kind::string) {
            out.append(*static_cast<const std::string*>(object));
        } else {
            return refuse(errc::encode, type, "bytes");
        }
        return {};
    }
};

class text_codec final : public codec_interface {
public:
    std::string_view name() const noexcept override { return "text"; }
    std::string_view content_type() const noexcept override { return "text/plain; charset=utf-8"; }
    bool supports(const value_type& type) const noexcept override {
        return type.kind == value_kind::string;
    }

    std::expected<void, error> decode(const value_type& type, void* object,
                                      std::span<const std::byte> payload,
                                      arena& /*kept*/) const override {
        if (!supports(type)) return refuse(errc::decode, type, "text");
        const std::string_view text = as_text(payload);
        if (!is_utf8(text)) {
            const std::size_t place = find_bad_utf8(text);
            fault failure;
            failure.fail(place, "expected UTF-8", text.substr(place));
            return std::unexpected(failure.take(errc::decode));
        }
        static_cast<std::string*>(object)->assign(text);
        return {};
    }

    std::expected<void, error> encode(const value_type& type, const void* object,
                                      byte_buffer& out) const override {
        if (!supports(type)) return refuse(errc::encode, type, "text");
        const auto& text = *static_cast<const std::string*>(object);
        if (!is_utf8(text))
            return std::unexpected(error{errc::encode, "payload", "a string is not UTF-8",
                                         "send it with codecs::raw()"});
        out.append(text);
        return {};
    }
};

}  // namespace

codec codecs::raw() {
    static const codec only = std::make_shared<const raw_codec>();
    return only;
}

codec codecs::text() {
    static const codec only = std::make_shared<const text_codec>();
    return only;
}

}  // namespace waybill
