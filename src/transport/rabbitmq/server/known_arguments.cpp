#include "transport/rabbitmq/server/known_arguments.hpp"

#include "transport/rabbitmq/server/table.hpp"
#include "transport/rabbitmq/values.hpp"

namespace waybill::rabbitmq::fake {

std::string_view type_name(const header_value& value) {
    switch (wire_type_of(value)) {
        case wire_type::i8:
            return "byte";
        case wire_type::u8:
            return "unsignedbyte";
        case wire_type::i16:
            return "short";
        case wire_type::u16:
            return "unsignedshort";
        case wire_type::i32:
            return "signedint";
        case wire_type::u32:
            return "unsignedint";
        case wire_type::f32:
            return "float";
        case wire_type::timestamp:
            return "timestamp";
        case wire_type::decimal:
            return "decimal";
        case wire_type::table:
            return "table";
        case wire_type::array:
            return "array";
        case wire_type::long_string:
            return "longstr";
        case wire_type::u64:
        case wire_type::usual:
            break;
    }
    switch (value.kind()) {
        case header_kind::null:
            return "void";
        case header_kind::boolean:
            return "bool";
        case header_kind::floating:
            return "double";
        case header_kind::text:
            return "longstr";
        case header_kind::bytes:
            return "binary";
        default:
            return "long";
    }
}

std::string shown(const header_value& value) {
    if (const auto truth = value.boolean()) return *truth ? "true" : "false";
    return value.to_string();
}

std::string_view queue_type_in(const headers& arguments) {
    const auto said = find_exact(arguments, "x-queue-type");
    return said ? said->text().value_or("classic") : "classic";
}

std::optional<kind> kind_named(std::string_view type) noexcept {
    if (type == "classic") return kind::classic;
    if (type == "quorum") return kind::quorum;
    if (type == "stream") return kind::stream;
    return std::nullopt;
}

}  // namespace waybill::rabbitmq::fake
