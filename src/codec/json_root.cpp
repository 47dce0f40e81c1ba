// The whole text: one value, and nothing behind it.
#include "json_codec.hpp"
#include "json_parser.hpp"
#include "json_reader.hpp"

#include <string_view>

namespace waybill {
namespace {

class json_root : private json_reader {
public:
    json_root(ondemand::document& document, std::string_view text, arena& kept, json_skip& skip,
              int deepest = max_json_depth) noexcept
        : json_reader(document, text, kept, skip, deepest) {}

    bool read_object(const value_type& type, void* object) {
        const char* const opened = document_.raw_json_token().value_unsafe().data();
        ondemand::object members;
        if (const auto code = document_.get_object().get(members)) [[unlikely]]
            return fail_root(code, opened, "expected an object", "expected } at the end");
        return read_members(type, object, members, opened) && read_end();
    }

    [[gnu::noinline]] bool read_map_or_variant(const value_type& type, void* object) {
        const char* const opened = document_.raw_json_token().value_unsafe().data();
        ondemand::object members;
        if (const auto code = document_.get_object().get(members))
            return fail_root(code, opened, "expected an object", "expected } at the end");
        const bool good = type.kind == value_kind::map
                              ? read_entries(type, object, members)
                              : read_alternative(type, object, members, opened);
        return good && read_end();
    }

    [[gnu::noinline]] bool read_list(const value_type& type, void* object) {
        const char* const opened = document_.raw_json_token().value_unsafe().data();
        ondemand::array elements;
        if (const auto code = document_.get_array().get(elements)) [[unlikely]]
            return fail_root(code, opened, "expected an array", "expected ] at the end");
        return read_elements(type, object, elements, opened) && read_end();
    }

    /// The text is an array made round one value.
    bool read_only_element(const value_type& type, void* object) {
        ondemand::array elements;
        if (document_.get_array().get(elements)) return failure_.at_end("expected one value");
        auto at = elements.begin().value_unsafe();
        const auto end = elements.end().value_unsafe();
        if (!(at != end)) return failure_.at_end("expected a value");
        ondemand::value only;
        if ((*at).get(only)) return failure_.here(document_, "expected a value");
        if (!read_value(type, object, only)) return false;
        ++at;
        return at != end ? failure_.here(document_, "expected one value") : read_end();
    }

    std::unexpected<error> take_error() { return std::unexpected(failure_.take()); }

private:
    bool read_end() {
        const char* place = nullptr;
        if (document_.current_location().get(place)) [[likely]]
            return true;
        return failure_.at(place, "expected nothing behind the value");
    }

    [[gnu::cold, gnu::noinline]] bool fail_root(simdjson::error_code code, const char* place,
                                                std::string_view type, std::string_view close) {
        return code == simdjson::INCORRECT_TYPE ? failure_.at(place, type)
                                                : failure_.unclosed(close);
    }
};

/// simdjson's first pass over `text`, behind which 64 bytes may be read.
[[gnu::always_inline]] inline simdjson::simdjson_result<ondemand::document> start(
    std::string_view text) {
    ondemand::parser* const parser = json_parser(text.size());
    if (parser == nullptr) [[unlikely]]
        return simdjson::MEMALLOC;
    return parser->iterate(
        simdjson::padded_string_view{text.data(), text.size(), text.size() + byte_buffer::padding});
}

[[gnu::cold, gnu::noinline]] std::unexpected<error> refuse(std::string_view text,
                                                           simdjson::error_code code) {
    json_failure failure{text};
    failure.whole_text(code);
    return std::unexpected(failure.take());
}

using root_reader = bool (json_root::*)(const value_type&, void*);

[[gnu::always_inline]] inline std::expected<void, error> read_root(root_reader read,
                                                                   const value_type& type,
                                                                   void* object,
                                                                   std::string_view text,
                                                                   arena& kept, json_skip& skip) {
    auto document = start(text);
    if (document.error()) [[unlikely]]
        return refuse(text, document.error());
    json_root reader{document.value_unsafe(), text, kept, skip};
    if (!(reader.*read)(type, object)) [[unlikely]]
        return reader.take_error();
    return {};
}

/// A value that is no object or array, read as the only element of an array: On-Demand takes such
/// roots by other functions, with limits of their own.
std::expected<void, error> read_lone(const value_type& type, void* object, std::string_view payload,
                                     arena& kept, json_skip& skip) {
    char* const at = kept.room(payload.size() + 2 + byte_buffer::padding);
    at[0] = '[';
    payload.copy(at + 1, payload.size());
    at[payload.size() + 1] = ']';
    // Where brackets are open at the end, what simdjson says depends on the byte behind it.
    at[payload.size() + 2] = '\0';
    auto document = start({at, payload.size() + 2});
    const std::string_view inside{at + 1, payload.size()};
    if (document.error()) return refuse(inside, document.error());
    json_root reader{document.value_unsafe(), inside, kept, skip, max_json_depth + 1};
    if (!reader.read_only_element(type, object)) return reader.take_error();
    return {};
}

[[gnu::noinline]] std::expected<void, error> read_other(const value_type& type, void* object,
                                                        std::string_view text, arena& kept,
                                                        json_skip& skip) {
    switch (type.kind) {
        case value_kind::sequence:
        case value_kind::array:
        case value_kind::bits:
            return read_root(&json_root::read_list, type, object, text, kept, skip);
        case value_kind::map:
        case value_kind::variant:
            return read_root(&json_root::read_map_or_variant, type, object, text, kept, skip);
        default:
            return read_lone(type, object, text, kept, skip);
    }
}

}  // namespace

std::expected<void, error> json_codec::decode(const value_type& type, void* object,
                                              std::span<const std::byte> payload,
                                              arena& kept) const {
    const std::string_view text{reinterpret_cast<const char*>(payload.data()), payload.size()};
    if (type.kind != value_kind::aggregate) [[unlikely]]
        return read_other(type, object, text, kept, skip_);
    return read_root(&json_root::read_object, type, object, text, kept, skip_);
}

}  // namespace waybill
