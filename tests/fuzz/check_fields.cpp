#include "check_fields.hpp"

#include "promises.hpp"
#include "transport/rabbitmq/fields.hpp"
#include <waybill/byte_buffer.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace fuzz {
namespace {

namespace rabbitmq = waybill::rabbitmq;
using bytes = std::span<const std::byte>;

/// In memory that ends where it does, so that a read behind it is seen.
class exact_copy {
public:
    explicit exact_copy(bytes of)
        : size_{of.size()}, bytes_{std::make_unique<std::byte[]>(of.size())} {
        std::ranges::copy(of, bytes_.get());
    }
    [[nodiscard]] bytes view() const { return {bytes_.get(), size_}; }

private:
    std::size_t size_;
    std::unique_ptr<std::byte[]> bytes_;
};

/// No number at the top or in what is nested is infinite or a NaN: else nothing is written.
bool can_be_written(bytes packed) {
    for (const auto& each : waybill::headers::borrow(packed)) {
        const auto number = each.value.floating();
        if (number && !std::isfinite(*number)) return false;
        const auto type = rabbitmq::wire_type_of(each.value);
        const bool array = type == rabbitmq::wire_type::array;
        if ((array || type == rabbitmq::wire_type::table) &&
            !rabbitmq::is_finite(*each.value.bytes(), array)) {
            return false;
        }
    }
    return true;
}

void check_table(bytes entries) {
    waybill::byte_buffer packed;
    const bool good = rabbitmq::read_table(entries, packed);
    require(good == rabbitmq::is_well_formed(entries, false),
            "what is read is what is well formed");
    if (!good) return;
    waybill::byte_buffer out;
    const bool done = rabbitmq::write_table(packed.bytes(), out).has_value();
    require(done == can_be_written(packed.bytes()), "what was read and is finite can be written");
    if (!done) return;
    const auto content = out.bytes().subspan(4);
    waybill::byte_buffer again;
    require(rabbitmq::read_table(content, again), "what was written can be read");
    require(std::ranges::equal(packed.bytes(), again.bytes()), "it is the same");
    require(content.size() == entries.size(), "nothing is added or left out");
}

void check_array(bytes values) {
    waybill::byte_buffer packed;
    require(rabbitmq::read_array(values, packed) == rabbitmq::is_well_formed(values, true),
            "what is read is what is well formed");
}

void check_properties(bytes from_flags_on) {
    waybill::byte_buffer packed;
    if (!rabbitmq::read_properties(from_flags_on, packed)) return;
    waybill::byte_buffer out;
    const bool done = rabbitmq::write_properties(packed.bytes(), out).has_value();
    require(done == can_be_written(packed.bytes()),
            "properties that were read and are finite can be written");
    if (!done) return;
    waybill::byte_buffer again;
    require(rabbitmq::read_properties(out.bytes(), again), "and read again");
    require(std::ranges::equal(packed.bytes(), again.bytes()), "and are the same");
}

}  // namespace

void check_fields(std::span<const std::byte> input) {
    if (input.empty()) return;
    const exact_copy rest{input.subspan(1)};
    switch (std::to_integer<unsigned>(input[0]) % 3) {
        case 0:
            check_table(rest.view());
            break;
        case 1:
            check_array(rest.view());
            break;
        default:
            check_properties(rest.view());
            break;
    }
}

}  // namespace fuzz
