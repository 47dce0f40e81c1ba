#include "json_skip.hpp"

namespace waybill {
namespace {

namespace ondemand = simdjson::ondemand;

bool skip_object(ondemand::value& from, ondemand::document& document, int depth,
                 json_failure& failure) {
    ondemand::object members;
    if (from.get_object().get(members)) return failure.here(document, "expected an object");
    const auto end = members.end().value_unsafe();
    for (auto at = members.begin().value_unsafe(); at != end; ++at) {
        ondemand::field member;
        if ((*at).get(member))
            return failure.here(document, "expected a key and its value, a comma or }");
        if (!skip_json(member.value(), document, depth, failure)) return false;
    }
    return true;
}

bool skip_array(ondemand::value& from, ondemand::document& document, int depth,
                json_failure& failure) {
    ondemand::array elements;
    if (from.get_array().get(elements)) return failure.here(document, "expected an array");
    const auto end = elements.end().value_unsafe();
    for (auto at = elements.begin().value_unsafe(); at != end; ++at) {
        ondemand::value element;
        if ((*at).get(element)) return failure.here(document, "expected a comma or ]");
        if (!skip_json(element, document, depth, failure)) return false;
    }
    return true;
}

}  // namespace

// On-Demand itself passes over a container by counting brackets of either kind to any depth, and
// takes a string before a colon for a key wherever it stands.
bool skip_json(ondemand::value& from, ondemand::document& document, int depth,
               json_failure& failure) {
    ondemand::json_type type{};
    if (from.type().get(type)) return failure.at(from.raw_json_token().data(), "expected a value");
    const bool object = type == ondemand::json_type::object;
    if (object || type == ondemand::json_type::array) {
        if (depth == max_json_depth)
            return failure.at(from.raw_json_token().data(), "expected at most 64 levels");
        return object ? skip_object(from, document, depth + 1, failure)
                      : skip_array(from, document, depth + 1, failure);
    }
    // The iteration passes over other scalars by itself.
    ondemand::raw_json_string ignored;
    return type != ondemand::json_type::string || !from.get_raw_json_string().get(ignored);
}

}  // namespace waybill
