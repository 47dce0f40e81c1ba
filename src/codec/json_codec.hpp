/// The codec behind `codecs::json`.
#pragma once

#include "json_skip.hpp"
#include <waybill/codec.hpp>

namespace waybill {

class json_codec final : public codec_interface {
public:
    explicit json_codec(codecs::json_options options) noexcept
        : skip_(options.strict ? skip_json_strictly : skip_json) {}

    std::string_view name() const noexcept override { return "json"; }
    std::string_view content_type() const noexcept override { return "application/json"; }
    bool supports(const value_type& type) const noexcept override {
        return type.kind != value_kind::none && type.kind != value_kind::opaque;
    }
    /// In json_root.cpp.
    std::expected<void, error> decode(const value_type& type, void* object,
                                      std::span<const std::byte> payload,
                                      arena& kept) const override;
    /// In json_writer.cpp. An optional without a value is left out of its object if it reads back
    /// so, and is null elsewhere.
    std::expected<void, error> encode(const value_type& type, const void* object,
                                      byte_buffer& out) const override;

private:
    json_skip& skip_;
};

}  // namespace waybill
