// Reads one text as one value.
#include "scenario/json.hpp"

#include <algorithm>
#include <utility>

// RapidJSON's stacks add to a null pointer before the first element.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#if defined(__clang__)
#pragma clang attribute pop
#endif

namespace waybill::scenario::json {
namespace {

/// Builds the tree from what the parser meets; false ends the parse, and `problem` says why.
class builder {
public:
    // The names are the parser's.
    // NOLINTBEGIN(readability-identifier-naming)
    bool Null() { return put({}) != nullptr; }
    bool Bool(bool truth) { return put(truth) != nullptr; }
    bool Int(int number) { return put(number) != nullptr; }
    bool Uint(unsigned number) { return put(std::int64_t{number}) != nullptr; }
    bool Int64(std::int64_t number) { return put(number) != nullptr; }
    bool Uint64(std::uint64_t number) {
        if (std::in_range<std::int64_t>(number)) return Int64(static_cast<std::int64_t>(number));
        return put(number) != nullptr;
    }
    bool Double(double number) { return put(number) != nullptr; }
    bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }  // never asked for
    bool String(const char* text, rapidjson::SizeType size, bool) {
        return is_whole({text, size}) && put(std::string{text, size}) != nullptr;
    }
    bool Key(const char* text, rapidjson::SizeType size, bool) {
        open_.back()->members()->push_back({{text, size}, {}});
        return is_whole({text, size});
    }
    bool StartArray() { return open(json::array{}); }
    bool StartObject() { return open(json::object{}); }
    bool EndArray(rapidjson::SizeType) {
        open_.pop_back();
        return true;
    }
    bool EndObject(rapidjson::SizeType) {
        const auto& members = *open_.back()->members();
        open_.pop_back();
        return names_differ(members);
    }
    // NOLINTEND(readability-identifier-naming)

    value root;
    std::string problem;

private:
    /// The parser takes an escaped second half of a surrogate pair that has no first one.
    bool is_whole(std::string_view text) {
        for (auto at = text.find('\xED'); at != text.npos; at = text.find('\xED', at + 1)) {
            if (static_cast<unsigned char>(text[at + 1]) < 0xA0) continue;
            problem = "the text that ends here has half a surrogate pair";
            return false;
        }
        return true;
    }
    /// Where it is now, until the object or list round it grows; null when there are too many.
    value* put(value what) {
        if (++nodes_ > node_limit) {
            problem = "there are more than " + std::to_string(node_limit) + " values";
            return nullptr;
        }
        auto* const at = place();
        *at = std::move(what);
        return at;
    }
    value* place() {
        if (open_.empty()) return &root;
        if (auto* const items = open_.back()->items()) return &items->emplace_back();
        return &open_.back()->members()->back().is;
    }
    bool open(value what) {
        if (open_.size() == depth_limit) {
            problem =
                "objects and lists are nested more than " + std::to_string(depth_limit) + " deep";
            return false;
        }
        auto* const at = put(std::move(what));
        if (at != nullptr) open_.push_back(at);
        return at != nullptr;
    }
    bool names_differ(const json::object& members) {
        names_.clear();
        for (const auto& each : members) names_.push_back(each.name);
        std::ranges::sort(names_);
        const auto twice = std::ranges::adjacent_find(names_);
        if (twice == names_.end()) return true;
        problem = "the object that ends here has " + to_text(twice->substr(0, 60)) + " twice";
        return false;
    }

    /// The objects and lists that have begun and not ended. Only the last one grows, so the places
    /// stay.
    std::vector<value*> open_;
    std::vector<std::string_view> names_;
    std::size_t nodes_ = 0;
};

/// "line 3, column 17", both from 1, in characters.
std::string place_in(std::string_view text, std::size_t offset) {
    const auto before = text.substr(0, offset);
    const auto line = 1 + std::ranges::count(before, '\n');
    const auto row = before.substr(before.rfind('\n') + 1);
    const auto column = 1 + std::ranges::count_if(row, [](char letter) {
                            return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80;
                        });
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

std::expected<value, std::string> parse(std::string_view text) {
    rapidjson::MemoryStream stream{text.data(), text.size()};
    rapidjson::Reader reader;
    builder made;
    constexpr unsigned how = rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag |
                             rapidjson::kParseValidateEncodingFlag;
    const auto done = reader.Parse<how>(stream, made);
    const auto at = place_in(text, done.IsError() ? done.Offset() : stream.Tell());
    if (!made.problem.empty()) return std::unexpected(at + ": " + made.problem);
    if (done.IsError()) {
        return std::unexpected(at + ": " + rapidjson::GetParseError_En(done.Code()));
    }
    // To the parser a zero byte is the end.
    if (stream.Tell() != text.size()) {
        return std::unexpected(at + ": there is a zero byte behind the value");
    }
    return std::move(made.root);
}

}  // namespace waybill::scenario::json
