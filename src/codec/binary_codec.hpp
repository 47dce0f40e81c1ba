/// The codec of a `Format`, or of two: one that is read and one that is written.
#pragma once

#include "binary_reader.hpp"
#include "binary_writer.hpp"
#include <waybill/codec.hpp>

namespace waybill {

template <class Reads, class Writes = Reads>
class binary_codec final : public codec_interface {
public:
    std::string_view name() const noexcept override { return Reads::name; }
    std::string_view content_type() const noexcept override { return Reads::content_type; }
    bool supports(const value_type& type) const noexcept override {
        return type.kind != value_kind::none && type.kind != value_kind::opaque;
    }

    std::expected<void, error> decode(const value_type& type, void* object,
                                      std::span<const std::byte> payload,
                                      arena& kept) const override {
        binary_reader<Reads> reader{payload, kept};
        if (!reader.read_root(type, object)) [[unlikely]]
            return std::unexpected(reader.take_error());
        return {};
    }

    std::expected<void, error> encode(const value_type& type, const void* object,
                                      byte_buffer& out) const override {
        binary_writer<Writes> writer{out};
        if (!writer.write(type, object)) [[unlikely]]
            return std::unexpected(writer.take_error());
        return {};
    }
};

}  // namespace waybill
