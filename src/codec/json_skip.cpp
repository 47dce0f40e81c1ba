#include "json_skip.hpp"

#include <utility>

namespace waybill {
namespace {

namespace ondemand = simdjson::ondemand;

/// Goes through containers as if to read them. On-Demand itself passes over one by counting
/// brackets of either kind to any depth, and takes a string before a colon for a key wherever it
/// stands.
class json_skipper {
public:
    json_skipper(ondemand::document& document, json_failure& failure) noexcept
        : document_(document), failure_(failure) {}

    [[gnu::always_inline]] bool skip(ondemand::value& from, int depth) {
        ondemand::raw_json_string ignored;
        if (!from.get_raw_json_string().get(ignored)) return true;
        ondemand::json_type type{};
        if (from.type().get(type)) [[unlikely]]
            return failure_.at(place_of(from), "expected a value");
        if (type == ondemand::json_type::object) return skip_object(from, depth);
        if (type == ondemand::json_type::array) return skip_array(from, depth);
        return true;  // the iteration passes over numbers and literals
    }

private:
    [[gnu::noinline]] bool skip_object(ondemand::value& from, int depth) {
        if (depth == max_json_depth) return fail_depth(from);
        ondemand::object members;
        if (from.get_object().get(members)) return failure_.here(document_, "expected an object");
        const auto end = members.end().value_unsafe();
        for (auto at = members.begin().value_unsafe(); at != end; ++at) {
            auto next = *at;
            if (next.error()) [[unlikely]]
                return failure_.here(document_, "expected a key and its value, a comma or }");
            auto&& member = std::move(next).value_unsafe();
            if (!skip(member.value(), depth + 1)) [[unlikely]]
                return false;
        }
        return true;
    }

    [[gnu::noinline]] bool skip_array(ondemand::value& from, int depth) {
        if (depth == max_json_depth) return fail_depth(from);
        ondemand::array elements;
        if (from.get_array().get(elements)) return failure_.here(document_, "expected an array");
        const auto end = elements.end().value_unsafe();
        for (auto at = elements.begin().value_unsafe(); at != end; ++at) {
            ondemand::value element;
            if ((*at).get(element)) [[unlikely]]
                return failure_.here(document_, "expected a comma or ]");
            if (!skip(element, depth + 1)) [[unlikely]]
                return false;
        }
        return true;
    }

    [[gnu::cold]] bool fail_depth(ondemand::value& from) {
        return failure_.at(place_of(from), "expected at most 64 levels");
    }

    ondemand::document& document_;
    json_failure& failure_;
};

}  // namespace

bool skip_json(ondemand::value& from, ondemand::document& document, int depth,
               json_failure& failure) {
    return json_skipper{document, failure}.skip(from, depth);
}

}  // namespace waybill
