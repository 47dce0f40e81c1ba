#include "promises.hpp"

#include "targets.hpp"
#include "utf8_model.hpp"

#include <charconv>
#include <string_view>

namespace fuzz {
namespace {

/// The number behind the last ", byte ", or more than any size.
std::size_t offset_in(std::string_view place) {
    constexpr std::string_view mark = ", byte ";
    std::size_t offset = std::string_view::npos;
    if (const auto at = place.rfind(mark); at != place.npos) {
        const auto digits = place.substr(at + mark.size());
        std::from_chars(digits.data(), digits.data() + digits.size(), offset);
    }
    return offset;
}

}  // namespace

void require(bool kept, const std::string& promise) {
    if (!kept) throw broken{promise};
}

void check_error(const waybill::error& failure, waybill::errc code, std::size_t size) {
    const std::string message = failure.message();
    require(failure.code == code, "an error has the code of what failed: " + message);
    require(message.size() <= 200, "a message has at most 200 bytes: " + message);
    require(support::is_well_formed(message), "a message is UTF-8: " + message);
    require(!failure.where.empty() && !failure.what.empty(), "an error names a place: " + message);
    // A type that the codec does not know is wrong everywhere.
    if (code == waybill::errc::decode && failure.fix.empty())
        require(offset_in(failure.where) <= size, "an error names a byte: " + message);
}

}  // namespace fuzz
