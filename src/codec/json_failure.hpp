/// Errors of JSON texts: which byte, what was expected there and what stands there.
#pragma once

#include "fault.hpp"
#include <waybill/fields.hpp>

#include <simdjson.h>

#include <cstddef>
#include <memory>
#include <string_view>

namespace waybill {

namespace ondemand = simdjson::ondemand;

/// What is said in several places.
inline constexpr std::string_view expected_member = "expected a key and its value, a comma or }";
inline constexpr std::string_view bad_escapes = "expected valid escapes";
inline constexpr std::string_view too_deep = "expected at most 64 levels";

/// Where the value starts, also after it was read.
[[nodiscard]] inline const char* place_of(ondemand::value& from) noexcept {
    return from.raw_json_token().data();
}

/// The first failure of one read. Places that lie outside of the text count as its nearest end.
class json_failure {
public:
    explicit json_failure(std::string_view text) noexcept : text_(text) {}

    /// Each returns false, for a reader to return in turn.
    bool at(const char* place, std::string_view expected);
    /// Without what stands there.
    bool saying(const char* place, std::string_view what);
    /// At the token where simdjson stopped.
    bool here(ondemand::document& document, std::string_view expected);
    /// The text has no more tokens where `expected` was.
    bool at_end(std::string_view expected) { return at(text_.data() + text_.size(), expected); }
    /// The last character is not the one that closes the root.
    bool unclosed(std::string_view expected);
    /// The token at `place` is no integer, or one that `type` does not hold.
    bool integer(const char* place, const value_type& type);
    /// simdjson did not take the text at all.
    bool whole_text(simdjson::error_code code);

    /// The failure is in this member, this element.
    bool in_field(std::string_view name);
    bool in_element(std::size_t index);
    bool in_key(std::string_view key);

    [[nodiscard]] error take() { return fault_->take(errc::decode); }

private:
    std::string_view text_;
    std::unique_ptr<fault> fault_;  // made by the failure, so that the good path has nothing to do
};

}  // namespace waybill
