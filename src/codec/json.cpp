#include "json_reader.hpp"
#include "json_writer.hpp"
#include <waybill/codec.hpp>

namespace waybill {
namespace {

class json_codec final : public codec_interface {
public:
    std::string_view name() const noexcept override { return "json"; }
    std::string_view content_type() const noexcept override { return "application/json"; }
    bool supports(const value_type& type) const noexcept override {
        return type.kind != value_kind::none && type.kind != value_kind::opaque;
    }
    std::expected<void, error> decode(const value_type& type, void* object,
                                      std::span<const std::byte> payload,
                                      arena& kept) const override {
        return read_json(type, object, payload, kept);
    }
    std::expected<void, error> encode(const value_type& type, const void* object,
                                      byte_buffer& out) const override {
        return write_json(type, object, out);
    }
};

}  // namespace

codec codecs::json() {
    static const codec only = std::make_shared<const json_codec>();
    return only;
}

}  // namespace waybill
