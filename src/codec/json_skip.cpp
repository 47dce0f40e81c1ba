#include "json_skip.hpp"

#include "json_grammar.hpp"

namespace waybill {
namespace {

/// The tokens of the text, of which On-Demand's values are made: a bracket, a colon, a comma, a
/// string from its quote on, a number or a literal. A value keeps them to itself and its heirs.
struct token_source : ondemand::value {
    static ondemand::json_iterator& of(ondemand::value& from) noexcept {
        return (from.*&token_source::iter).json_iter();
    }
};

/// Of scalars only the first character is looked at.
struct any_scalars {
    static constexpr bool is_string(const char* /*token*/) noexcept { return true; }
    static constexpr bool is_number(const char* /*token*/) noexcept { return true; }
    static constexpr bool is_literal(const char* /*token*/) noexcept { return true; }
};

struct strict_scalars {
    static bool is_string(const char* token) noexcept { return is_json_string(token); }
    static bool is_number(const char* token) noexcept { return is_json_number(token); }
    static bool is_literal(const char* token) noexcept { return is_json_literal(token); }
};

/// Goes from token to token. On-Demand's own skipping counts brackets of either kind to any depth
/// and takes a string before a colon for a key wherever it stands; reading its objects and arrays
/// to their end is exact, but costs twice as much.
///
/// The text's last token closes the root. Behind it stand two tokens for the byte behind the text
/// and one for its first byte. A value that is left open fails on one of these, or the root fails
/// that it closed too late.
template <class Scalars>
class json_skipper {
public:
    json_skipper(ondemand::json_iterator& tokens, int deepest, json_failure& failure) noexcept
        : tokens_(tokens), deepest_(deepest), failure_(failure) {}

    [[gnu::always_inline]] bool skip() { return skip(next(), tokens_.depth()); }

private:
    const char* next() noexcept {
        return reinterpret_cast<const char*>(tokens_.return_current_and_advance());
    }

    [[gnu::always_inline]] bool skip(const char* token, int level) {
        switch (*token) {
            case '"':
                return Scalars::is_string(token) || fail_escapes(token);
            case '-':
            case '0':
            case '1':
            case '2':
            case '3':
            case '4':
            case '5':
            case '6':
            case '7':
            case '8':
            case '9':
                return Scalars::is_number(token) || failure_.at(token, "expected a number");
            case 't':
            case 'f':
            case 'n':
                return Scalars::is_literal(token) ||
                       failure_.at(token, "expected true, false or null");
            case '{':
                return skip_object(token, level);
            case '[':
                return skip_array(token, level);
            default:
                return failure_.at(token, "expected a value");
        }
    }

    [[gnu::noinline]] bool skip_object(const char* opened, int level) {
        if (level > deepest_) [[unlikely]]
            return fail_depth(opened);
        const char* token = next();
        if (*token == '}') return true;
        while (true) {
            if (*token != '"') [[unlikely]]
                return fail_member(token);
            if (!Scalars::is_string(token)) [[unlikely]]
                return fail_escapes(token);
            if (token = next(); *token != ':') [[unlikely]]
                return fail_member(token);
            if (!skip(next(), level + 1)) [[unlikely]]
                return false;
            if (token = next(); *token == '}') return true;
            if (*token != ',') [[unlikely]]
                return fail_member(token);
            token = next();
        }
    }

    [[gnu::noinline]] bool skip_array(const char* opened, int level) {
        if (level > deepest_) [[unlikely]]
            return fail_depth(opened);
        const char* token = next();
        if (*token == ']') return true;
        while (true) {
            if (!skip(token, level + 1)) [[unlikely]]
                return false;
            if (token = next(); *token == ']') return true;
            if (*token != ',') [[unlikely]]
                return failure_.at(token, "expected a comma or ]");
            token = next();
        }
    }

    [[gnu::cold]] bool fail_depth(const char* opened) { return failure_.at(opened, too_deep); }
    [[gnu::cold]] bool fail_escapes(const char* token) { return failure_.at(token, bad_escapes); }
    [[gnu::cold]] bool fail_member(const char* token) {
        return failure_.at(token, expected_member);
    }

    ondemand::json_iterator& tokens_;
    int deepest_;
    json_failure& failure_;
};

template <class Scalars>
[[gnu::always_inline]] inline bool skip(ondemand::value& from, int deepest, json_failure& failure) {
    ondemand::json_iterator& tokens = token_source::of(from);
    if (!json_skipper<Scalars>{tokens, deepest, failure}.skip()) [[unlikely]]
        return false;
    tokens.ascend_to(tokens.depth() - 1);
    return true;
}

}  // namespace

bool skip_json(ondemand::value& from, int deepest, json_failure& failure) {
    return skip<any_scalars>(from, deepest, failure);
}

bool skip_json_strictly(ondemand::value& from, int deepest, json_failure& failure) {
    return skip<strict_scalars>(from, deepest, failure);
}

}  // namespace waybill
