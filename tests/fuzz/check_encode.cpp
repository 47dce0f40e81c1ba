#include "check_encode.hpp"

#include "made_object.hpp"
#include "promises.hpp"
#include "same_value.hpp"
#include "value_faults.hpp"
#include "value_filler.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace fuzz {
namespace {

constexpr std::string_view earlier = "what was there before";

/// Whether the codec has a form for the value.
bool has_form(const waybill::codec_interface& codec, const waybill::value_type& type,
              const void* object) {
    support::value_faults faults = support::faults_of(type, object);
    if (codec.name() == "raw") faults.ill_formed_text = false;
    if (codec.name() != "json") faults.not_finite = false;
    return codec.supports(type) && !faults.any();
}

std::string_view text_of(const waybill::byte_buffer& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void check_encode(const waybill::codec_interface& codec, const waybill::value_type& type,
                  std::span<const std::byte> spelled) {
    waybill::arena borrowed;
    support::made_object object{type};
    support::choices from{spelled};
    support::value_filler{from, borrowed, support::content::anything, 1000}.fill(type,
                                                                                 object.get());
    waybill::byte_buffer out;
    out.append(earlier);
    const auto done = codec.encode(type, object.get(), out);
    const bool wanted = has_form(codec, type, object.get());
    require(text_of(out).starts_with(earlier), "an encode leaves alone what was there before");
    if (!done) {
        check_error(done.error(), waybill::errc::encode, 0);
        require(!wanted, "a value that has a form is written: " + done.error().message());
        require(text_of(out) == earlier, "an encode that fails leaves nothing behind");
        return;
    }
    require(wanted, "a value without a form is refused, not written as " +
                        std::string{text_of(out).substr(earlier.size())});

    waybill::byte_buffer payload;
    payload.append(text_of(out).substr(earlier.size()));
    waybill::arena kept;
    support::made_object read{type};
    const auto again = codec.decode(type, read.get(), payload.bytes(), kept);
    require(again.has_value(),
            "what was written can be read: " + (again ? "" : again.error().message()));
    require(support::same_value(type, object.get(), read.get()),
            "what was written is read as the same value");
}

}  // namespace fuzz
