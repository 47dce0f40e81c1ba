#include "check_decode.hpp"

#include "codec/field_match.hpp"
#include "heap_peak.hpp"
#include "made_object.hpp"
#include "promises.hpp"
#include "same_value.hpp"
#include "value_filler.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <thread>

namespace fuzz {
namespace {

/// A copy that ends where its memory does, but for the bytes that codecs may read behind it.
class padded_payload {
public:
    enum class padding { repeated, zeros };

    padded_payload(std::span<const std::byte> payload, padding behind)
        : size_(payload.size()),
          bytes_(std::make_unique<std::byte[]>(size_ + waybill::byte_buffer::padding)) {
        std::ranges::copy(payload, bytes_.get());
        // As if the payload ended a byte earlier and then came again: what reads too far finds what
        // it hopes for.
        for (std::size_t i = 0;
             behind == padding::repeated && size_ != 0 && i < waybill::byte_buffer::padding; ++i)
            bytes_[size_ + i] = payload[(size_ - 1 + i) % size_];
    }

    [[nodiscard]] std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

private:
    std::size_t size_;
    std::unique_ptr<std::byte[]> bytes_;
};

/// An object, what was read into it, and what it may borrow.
struct reading {
    reading(const waybill::value_type& of, std::span<const std::byte> payload,
            padded_payload::padding behind)
        : type(of), padded(payload, behind), object(of) {}

    void run(const waybill::codec_interface& codec) {
        done = codec.decode(type, object.get(), padded.bytes(), kept);
    }

    const waybill::value_type& type;
    padded_payload padded;
    waybill::arena kept;
    support::made_object object;
    std::expected<void, waybill::error> done;
};

std::string answer(const reading& from) {
    return from.done ? "decoded" : from.done.error().message();
}

/// A first decode on a thread takes more than later ones, whose memory is kept. That is tried where
/// this thread came near the bound.
void check_heap(const waybill::codec_interface& codec, const waybill::value_type& type,
                std::span<const std::byte> payload, std::size_t peak) {
    const std::size_t bound = 64 * payload.size() + 65536;
    if (peak > bound / 4) {
        std::jthread{[&] {
            reading cold{type, payload, padded_payload::padding::zeros};
            peak = std::max(peak, support::heap_peak([&] { cold.run(codec); }));
        }}.join();
    }
    require(peak <= bound, "a decode takes at most " + std::to_string(bound) +
                               " bytes from the heap, not " + std::to_string(peak));
}

void check_written(const waybill::codec_interface& codec, const reading& value) {
    waybill::byte_buffer out;
    const auto done = codec.encode(value.type, value.object.get(), out);
    require(done.has_value(),
            "what was read can be written: " + (done ? "" : done.error().message()));
    reading again{value.type, out.bytes(), padded_payload::padding::repeated};
    again.run(codec);
    require(again.done.has_value(), "what was written can be read: " + answer(again));
    require(support::same_value(value.type, value.object.get(), again.object.get()),
            "what was read is the same after it was written and read");
}

}  // namespace

void check_decode(const waybill::codec_interface& codec, const waybill::value_type& type,
                  std::span<const std::byte> payload) {
    reading fresh{type, payload, padded_payload::padding::repeated};
    const std::size_t peak = support::heap_peak([&] { fresh.run(codec); });
    check_heap(codec, type, payload, peak);

    reading used{type, payload, padded_payload::padding::repeated};
    waybill::arena earlier;
    support::choices from{payload};
    support::value_filler{from, earlier, support::content::anything, 200}.fill(type,
                                                                               used.object.get());
    used.run(codec);
    // What a used object has room for already, a fresh one may not be allowed to take.
    if (!fresh.done && fresh.done.error().message().ends_with(waybill::over_budget)) return;
    require(fresh.done == used.done, "a used object gets the answer of a fresh one: " +
                                         answer(fresh) + " / " + answer(used));

    // Of text with open brackets, simdjson tells by the byte behind it what is wrong.
    reading elsewhere{type, payload, padded_payload::padding::zeros};
    elsewhere.run(codec);
    require(fresh.done.has_value() == elsewhere.done.has_value(),
            "what stands behind the payload decides nothing: " + answer(fresh) + " / " +
                answer(elsewhere));

    if (!fresh.done) return check_error(fresh.done.error(), waybill::errc::decode, payload.size());
    require(support::same_value(type, fresh.object.get(), used.object.get()),
            "a used object holds what a fresh one does");
    require(support::same_value(type, fresh.object.get(), elsewhere.object.get()),
            "what stands behind the payload is no part of the value");
    check_written(codec, fresh);
}

}  // namespace fuzz
