/// Codecs: payload bytes to objects and back.
///
/// Guarantee: a codec never changes and may be used by many threads at once. It reads hostile input
/// in bounded stack (64 levels of nesting) and bounded memory: at most 64 bytes from the heap for
/// each of the payload, and 64 KiB. Unknown fields are skipped unless the type is closed; a missing
/// field that is neither a std::optional nor has a default, a known field or a map's key that comes
/// twice, bytes behind the value, a number that does not fit and text that is not UTF-8 are errors.
#pragma once

#include <waybill/arena.hpp>
#include <waybill/byte_buffer.hpp>
#include <waybill/error.hpp>
#include <waybill/export.h>
#include <waybill/fields.hpp>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace waybill {

/// One wire format. Immutable; any thread.
class WAYBILL_API codec_interface {
public:
    virtual ~codec_interface();

    /// "json", "cbor", "msgpack", "raw", "text".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// "application/json" and the like.
    [[nodiscard]] virtual std::string_view content_type() const noexcept = 0;

    /// Whether values of this type can be read and written at all.
    [[nodiscard]] virtual bool supports(const value_type& type) const noexcept = 0;

    /// Reads `payload` into `object`, which is a live object of `type` with any content; afterwards
    /// it holds what a fresh one would. 64 bytes behind `payload` must be readable. Members that
    /// borrow view the payload, or `kept` when it does not hold them as they are: they are good for
    /// as long as both. On an error (`errc::decode`, with field path and byte offset) the object is
    /// valid but unspecified.
    virtual std::expected<void, error> decode(const value_type& type, void* object,
                                              std::span<const std::byte> payload,
                                              arena& kept) const = 0;

    /// Appends `object` to `out`. On an error (`errc::encode`) `out` is as it was.
    virtual std::expected<void, error> encode(const value_type& type, const void* object,
                                              byte_buffer& out) const = 0;
};

/// A codec as everything holds it: shared, and never null where one is asked for.
using codec = std::shared_ptr<const codec_interface>;

/// The codecs that come with Waybill. Each (with its options) is one object for the whole process.
namespace codecs {

/// How the JSON codec reads. What it writes is the same with any of them.
struct json_options {
    /// Skipped values are held to the whole grammar of RFC 8259, and escapes in them to Unicode, as
    /// what is read always is. Else they are held to UTF-8 and to the grammar of brackets, commas,
    /// colons and keys, not to that of numbers, literals and escapes.
    bool strict = false;
};

/// RFC 8259. Enums by name, bytes as base64.
WAYBILL_API codec json(json_options options = {});

/// How the CBOR codec writes. What it reads is the same with any of them.
struct cbor_options {
    /// One value is always the same bytes, as section 4.2.1 of RFC 8949 has it: the members in the
    /// bytewise order of their keys, floats as short as they go without losing anything. What is
    /// read need not be so.
    bool deterministic = false;
};

/// RFC 8949. Reads indefinite lengths and half floats, skips tags, wants text keys; writes definite
/// lengths and shortest integers.
WAYBILL_API codec cbor(cbor_options options = {});

/// MessagePack. Enums by name, std::vector<std::byte> as bin, shortest integers. Wants text keys
/// and UTF-8 in every str; extensions are skipped in unknown fields and refused elsewhere.
WAYBILL_API codec msgpack();

/// The payload itself: std::vector<std::byte> or std::string, unchecked.
WAYBILL_API codec raw();

/// The payload itself as std::string, checked for UTF-8.
WAYBILL_API codec text();

}  // namespace codecs

/// Reads a `T` from any bytes (they are copied: `codec_interface::decode` does not).
template <class T>
std::expected<T, error> decode(const codec& from, std::span<const std::byte> payload) {
    static_assert(!borrowing<T>,
                  "waybill: T has members that view the payload, and the copy that is read here "
                  "ends with this call: give it std::string and std::vector<std::byte>, or call "
                  "the codec's own decode with an arena");
    byte_buffer padded;
    padded.resize(payload.size());
    if (!payload.empty()) std::copy(payload.begin(), payload.end(), padded.data());
    T object{};
    arena kept;
    if (auto done = from->decode(value_type_of<T>(), &object, padded.bytes(), kept); !done)
        return std::unexpected(std::move(done.error()));
    return object;
}

/// The bytes of a `T`.
template <class T>
std::expected<std::vector<std::byte>, error> encode(const codec& to, const T& object) {
    byte_buffer out;
    if (auto done = to->encode(value_type_of<T>(), &object, out); !done)
        return std::unexpected(std::move(done.error()));
    return std::vector<std::byte>(out.bytes().begin(), out.bytes().end());
}

}  // namespace waybill
