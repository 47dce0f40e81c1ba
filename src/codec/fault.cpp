#include "fault.hpp"

#include "message/failure_record.hpp"

#include <algorithm>
#include <utility>

namespace waybill {
namespace {

constexpr std::size_t max_quoted = 24;
constexpr std::size_t max_key = 8;
constexpr std::size_t max_path = 72;
constexpr std::size_t max_what = 96;

/// The end of a path says more than its beginning.
std::string last_part(std::string path) {
    if (path.size() <= max_path) return path;
    std::size_t from = path.size() - (max_path - 3);
    while ((static_cast<unsigned char>(path[from]) & 0xc0) == 0x80) ++from;
    return "..." + path.substr(from);
}

}  // namespace

std::string quoted(std::string_view payload, std::size_t most) {
    std::string text = "`";
    for (const char letter : payload.substr(0, most))
        text += letter >= ' ' && letter <= '~' ? letter : '.';
    text += payload.size() > most ? "`..." : "`";
    return text;
}

std::string shortened(std::string text, std::size_t size) {
    if (text.size() <= size) return text;
    std::size_t end = size - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text.resize(end);
    return text + "...";
}

void fault::fail(std::size_t offset, std::string_view expected) {
    offset_ = offset;
    what_ = valid_utf8(expected, max_what);  // a type's own function may have written it
    path_.clear();
    shows_key_ = false;
}

void fault::fail(std::size_t offset, std::string_view expected, std::string_view rest) {
    fail(offset, expected);
    what_ = shortened(std::move(what_), max_what - 2 * max_quoted);
    what_ += rest.empty() ? ", but the payload ends" : ", found " + quoted(rest, max_quoted);
}

void fault::put_before(std::string outer) {
    if (!path_.empty() && path_.front() != '[') outer += '.';
    path_.insert(0, outer);
}

void fault::in_field(std::string_view name) { put_before(std::string{name}); }

void fault::in_element(std::size_t index) { put_before('[' + std::to_string(index) + ']'); }

void fault::in_key(std::string_view key) {
    put_before(shows_key_ ? "[...]" : '[' + quoted(key, max_key) + ']');
    shows_key_ = true;
}

error fault::take(errc code) {
    std::string where = last_part(path_.empty() ? std::string{"payload"} : std::move(path_));
    if (code == errc::decode) where += ", byte " + std::to_string(offset_);
    return {code, std::move(where), shortened(std::move(what_), max_what), {}};
}

}  // namespace waybill
