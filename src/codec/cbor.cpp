#include "cbor_reader.hpp"
#include "cbor_writer.hpp"
#include <waybill/codec.hpp>

namespace waybill {
namespace {

class cbor_codec final : public codec_interface {
public:
    std::string_view name() const noexcept override { return "cbor"; }
    std::string_view content_type() const noexcept override { return "application/cbor"; }
    bool supports(const value_type& type) const noexcept override {
        return type.kind != value_kind::none && type.kind != value_kind::opaque;
    }
    std::expected<void, error> decode(const value_type& type, void* object,
                                      std::span<const std::byte> payload,
                                      arena& kept) const override {
        return read_cbor(type, object, payload, kept);
    }
    std::expected<void, error> encode(const value_type& type, const void* object,
                                      byte_buffer& out) const override {
        return write_cbor(type, object, out);
    }
};

}  // namespace

codec codecs::cbor() {
    static const codec only = std::make_shared<const cbor_codec>();
    return only;
}

}  // namespace waybill
