#include "cbor_reader.hpp"

#include "cbor_item.hpp"
#include "fault.hpp"
#include "field_match.hpp"
#include "integers.hpp"
#include "utf8.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {
namespace {

constexpr int max_depth = 64;
constexpr std::uint64_t until_stop = ~std::uint64_t{0};

/// Functions return false after a failure, which `fault_` then holds.
class cbor_reader {
public:
    explicit cbor_reader(std::span<const std::byte> payload) noexcept
        : base_(reinterpret_cast<const char*>(payload.data())),
          at_(base_),
          end_(base_ + payload.size()) {}

    bool read_root(const value_type& type, void* object) {
        if (!next() || !read_value(type, object)) return false;
        if (at_ == end_) return true;
        start_ = at_;
        return fail("expected nothing behind the value");
    }

    error take_error() { return fault_->take(errc::decode); }

private:
    // --- items

    /// Takes the next item that is no tag into `item_`.
    bool next() {
        do {
            start_ = at_;
            const std::size_t size = read_cbor_item(rest(), item_);
            if (size == 0) [[unlikely]]
                return fail_item();
            at_ += size;
        } while (item_.kind == cbor_kind::tag);
        return true;
    }

    std::string_view rest() const noexcept { return {at_, end_}; }

    [[gnu::cold, gnu::noinline]] bool fail(std::string_view expected) {
        fault_ = std::make_unique<fault>();
        fault_->fail(static_cast<std::size_t>(start_ - base_), expected, found());
        return false;
    }

    [[gnu::cold, gnu::noinline]] bool fail_saying(const char* where, std::string_view what) {
        fault_ = std::make_unique<fault>();
        fault_->fail(static_cast<std::size_t>(where - base_), what);
        return false;
    }

    /// What the current item holds, for people: its text, or its first byte.
    std::string found() const {
        constexpr std::string_view hex = "0123456789abcdef";
        if (start_ == end_) return {};
        if (item_.kind == cbor_kind::text) return std::string{item_.content.substr(0, 25)};
        const auto first = static_cast<unsigned char>(*start_);
        return {'0', 'x', hex[first >> 4], hex[first & 0xf]};
    }

    [[gnu::cold, gnu::noinline]] bool fail_item() {
        const bool incomplete = item_.kind == cbor_kind::incomplete;
        if (incomplete) start_ = end_;
        return fail(incomplete ? "expected the rest of an item" : "expected an item");
    }

    // --- values: each takes the item in `item_`, and more behind it if it has more

    bool read_value(const value_type& type, void* object) {
        switch (type.kind) {
            case value_kind::unsigned_integer:
            case value_kind::signed_integer:
                return read_integer(type, object);
            case value_kind::string:
                return read_string(*static_cast<std::string*>(object));
            case value_kind::boolean:
                return read_boolean(object);
            case value_kind::float32:
                return read_float<float>(object);
            case value_kind::float64:
                return read_float<double>(object);
            case value_kind::aggregate:
                return read_aggregate(type, object);
            case value_kind::optional:
                return read_optional(type, object);
            case value_kind::sequence:
                return read_sequence(type, object);
            case value_kind::enumeration:
                return read_enumeration(type, object);
            case value_kind::bytes:
                return read_bytes(*static_cast<std::vector<std::byte>*>(object));
            case value_kind::bits:
                return read_bits(*static_cast<std::vector<bool>*>(object));
            case value_kind::none:
                break;
        }
        return fail("a type that cannot be read");
    }

    bool read_integer(const value_type& type, void* object) {
        const std::uint64_t number = item_.number;
        if (item_.kind == cbor_kind::unsigned_integer) {
            if (number > type.largest) return fail_range(type);
            store_integer(object, type.size, number);
            return true;
        }
        if (item_.kind != cbor_kind::negative_integer) return fail("expected an integer");
        // -1 - number: the magnitude of the smallest value is one more than the largest number.
        if (number >= type.smallest) return fail_range(type);
        store_integer(object, type.size, ~number);
        return true;
    }

    [[gnu::cold, gnu::noinline]] bool fail_range(const value_type& type) {
        std::string expected = "expected a number that fits ";
        return fail_saying(start_, expected.append(type.name));
    }

    bool read_boolean(void* object) {
        if (item_.kind != cbor_kind::boolean) return fail("expected a boolean");
        const bool yes = item_.number != 0;
        std::memcpy(object, &yes, sizeof yes);
        return true;
    }

    template <class Number>
    bool read_float(void* object) {
        double real = item_.real;
        if (item_.kind == cbor_kind::unsigned_integer)
            real = static_cast<double>(item_.number);
        else if (item_.kind == cbor_kind::negative_integer)
            real = -1.0 - static_cast<double>(item_.number);
        else if (item_.kind != cbor_kind::floating)
            return fail("expected a number");
        const auto value = static_cast<Number>(real);
        if (std::isinf(value) && !std::isinf(real)) return fail("expected a number that fits");
        std::memcpy(object, &value, sizeof value);
        return true;
    }

    bool read_optional(const value_type& type, void* object) {
        if (item_.kind == cbor_kind::null) {
            type.optional->clear(object);
            return true;
        }
        return read_value(*type.element, type.optional->engage(object));
    }

    // --- strings

    bool read_string(std::string& text) {
        if (item_.kind == cbor_kind::text) [[likely]] {
            if (!is_utf8(item_.content)) return fail("expected UTF-8");
            text.assign(item_.content);
            return true;
        }
        if (item_.kind != cbor_kind::text_begin) return fail("expected a text string");
        text.clear();
        return read_chunks(cbor_kind::text, [&](std::string_view chunk) { text += chunk; });
    }

    bool read_bytes(std::vector<std::byte>& bytes) {
        bytes.clear();
        const auto append = [&](std::string_view chunk) {
            const auto* from = reinterpret_cast<const std::byte*>(chunk.data());
            bytes.insert(bytes.end(), from, from + chunk.size());
        };
        if (item_.kind == cbor_kind::bytes) {
            append(item_.content);
            return true;
        }
        if (item_.kind != cbor_kind::bytes_begin) return fail("expected a byte string");
        return read_chunks(cbor_kind::bytes, append);
    }

    /// The chunks of a string of indefinite length, each of `kind`, to the stop.
    template <class Append>
    bool read_chunks(cbor_kind kind, const Append& append) {
        for (;;) {
            start_ = at_;
            const std::size_t size = read_cbor_item(rest(), item_);
            if (size == 0) return fail_item();
            at_ += size;
            if (item_.kind == cbor_kind::stop) return true;
            if (item_.kind != kind) return fail("expected a chunk of the string");
            if (kind == cbor_kind::text && !is_utf8(item_.content)) return fail("expected UTF-8");
            append(item_.content);
        }
    }

    bool read_enumeration(const value_type& type, void* object) {
        const char* const start = start_;
        std::string joined;
        std::string_view name = item_.content;
        if (item_.kind != cbor_kind::text) {
            if (!read_string(joined)) return false;
            name = joined;
        }
        const enumerator* const one = find_enumerator(type, name);
        if (one == nullptr) {
            start_ = start;
            return fail("expected a name of " + std::string{type.name});
        }
        store_integer(object, type.size, static_cast<std::uint64_t>(one->value));
        return true;
    }

    // --- arrays

    /// Elements of the array that `item_` opens, or `until_stop`.
    bool open(cbor_kind definite, cbor_kind indefinite, std::string_view expected,
              std::uint64_t& count) {
        if (item_.kind != definite && item_.kind != indefinite) [[unlikely]]
            return fail(expected);
        if (depth_ == max_depth) [[unlikely]]
            return fail("expected at most 64 levels");
        count = item_.kind == definite ? item_.number : until_stop;
        return true;
    }

    /// Takes the next element or key into `item_`; `more` is false at the end.
    bool next_in(std::uint64_t& left, bool& more) {
        more = left != 0;
        if (!more) return true;
        if (!next()) return false;
        if (left != until_stop) {
            --left;
        } else {
            more = item_.kind != cbor_kind::stop;
        }
        return true;
    }

    [[gnu::noinline]] bool read_sequence(const value_type& type, void* object) {
        std::uint64_t left = 0;
        if (!open(cbor_kind::array, cbor_kind::array_begin, "expected an array", left))
            return false;
        const sequence_hooks& hooks = *type.sequence;
        const std::size_t had = hooks.size(object);
        auto* element = static_cast<std::byte*>(hooks.data(object));
        std::size_t count = 0;
        ++depth_;
        for (bool more = false;; ++count) {
            if (!next_in(left, more)) return in_element(count);
            if (!more) break;
            if (count >= had) element = static_cast<std::byte*>(hooks.extend(object));
            if (!read_value(*type.element, element)) return in_element(count);
            element += type.element->size;
        }
        --depth_;
        if (count < had) hooks.truncate(object, count);
        return true;
    }

    bool in_element(std::size_t index) {
        fault_->in_element(index);
        return false;
    }

    [[gnu::noinline]] bool read_bits(std::vector<bool>& bits) {
        std::uint64_t left = 0;
        if (!open(cbor_kind::array, cbor_kind::array_begin, "expected an array", left))
            return false;
        bits.clear();
        for (bool more = false;;) {
            bool bit = false;
            if (!next_in(left, more)) return in_element(bits.size());
            if (!more) return true;
            if (!read_boolean(&bit)) return in_element(bits.size());
            bits.push_back(bit);
        }
    }

    // --- maps

    /// The text of the key in `item_`, good until the next key of chunks.
    bool read_key(std::string_view& key) {
        key = item_.content;
        if (item_.kind == cbor_kind::text) [[likely]]
            return true;
        if (item_.kind != cbor_kind::text_begin) return fail("expected a text key");
        if (!read_string(joined_key_)) return false;
        key = joined_key_;
        return true;
    }

    [[gnu::noinline]] static const field_info* find_field(const value_type& type,
                                                          std::string_view key) {
        for (const field_info& candidate : type.fields)
            if (matches(candidate, key)) return &candidate;
        return nullptr;
    }

    [[gnu::noinline]] bool read_aggregate(const value_type& type, void* object) {
        const char* const opened = start_;
        std::uint64_t left = 0;
        if (!open(cbor_kind::map, cbor_kind::map_begin, "expected a map", left)) return false;
        const field_info* expected = type.fields.data();
        const field_info* const last = expected + type.fields.size();
        std::uint32_t seen = 0;
        ++depth_;
        for (bool more = false;;) {
            if (!next_in(left, more)) return false;
            if (!more) break;
            const char* const key_start = start_;
            std::string_view key;
            if (!read_key(key)) return false;
            const field_info* known =
                expected != last && matches(*expected, key) ? expected : find_field(type, key);
            if (known == nullptr) {
                if (!is_utf8(key)) return fail("expected UTF-8");
                if (!next() || !skip_value()) return false;
                continue;
            }
            const auto bit = std::uint32_t{1} << (known - type.fields.data());
            if ((seen & bit) != 0) {
                start_ = key_start;
                fail("field comes twice");
                return in_field(*known);
            }
            seen |= bit;
            expected = known + 1;
            if (!next() || !read_value(*known->type, known->of(object))) return in_field(*known);
        }
        --depth_;
        const std::uint32_t absent = all_fields(type) & ~seen;
        if (absent == 0) return true;
        if (const std::uint32_t missing = absent & type.required; missing != 0) {
            return fail_saying(opened, missing_text(type, missing));
        }
        fill_absent(type, object, absent);
        return true;
    }

    bool in_field(const field_info& known) {
        fault_->in_field(known.name());
        return false;
    }

    /// Passes over the value whose first item is in `item_`.
    bool skip_value() {
        switch (item_.kind) {
            case cbor_kind::text:
                return is_utf8(item_.content) || fail("expected UTF-8");
            case cbor_kind::text_begin:
                return read_chunks(cbor_kind::text, [](std::string_view) {});
            case cbor_kind::bytes_begin:
                return read_chunks(cbor_kind::bytes, [](std::string_view) {});
            case cbor_kind::array:
            case cbor_kind::array_begin:
            case cbor_kind::map:
            case cbor_kind::map_begin:
                return skip_container();
            case cbor_kind::stop:
                return fail("expected a value");
            default:
                return true;
        }
    }

    /// A container on the way through a skipped value.
    struct level {
        std::uint64_t left;  // items to come; of an indefinite one, `until_stop` less those taken
        bool map;

        bool definite() const noexcept { return left < until_stop / 2; }
        /// A map may not stop between a key and its value.
        bool may_stop() const noexcept { return !definite() && (!map || left % 2 == 1); }
    };

    bool opens() const noexcept {
        return item_.kind == cbor_kind::array || item_.kind == cbor_kind::map ||
               item_.kind == cbor_kind::array_begin || item_.kind == cbor_kind::map_begin;
    }

    /// The container in `item_`. Each of its items takes a byte, so a length can be seen to lie.
    bool open_level(level& opened, std::size_t depth) {
        if (depth + static_cast<std::size_t>(depth_) >= max_depth)
            return fail("expected at most 64 levels");
        opened.map = item_.kind == cbor_kind::map || item_.kind == cbor_kind::map_begin;
        opened.left = until_stop;
        if (item_.kind == cbor_kind::array_begin || item_.kind == cbor_kind::map_begin) return true;
        if (item_.number > rest().size()) return fail("expected as many items as announced");
        opened.left = opened.map ? item_.number * 2 : item_.number;
        return true;
    }

    /// Passes over the integers and short ASCII strings that come next, `left` at most.
    void skip_plain(std::uint64_t& left) noexcept {
        const char* at = at_;
        for (; left != 0 && at < end_; --left) {
            const auto lead = static_cast<unsigned char>(*at);
            const unsigned number = lead & 0x1f;
            std::ptrdiff_t size = 1;
            if (lead < 0x40 && number < 28)
                size += number < 24 ? 0 : 1 << (number - 24);
            else if (lead >> 5 == 3 && number < 24 && is_short_ascii(at + 1, number))
                size += number;
            else
                break;
            if (size > end_ - at) break;
            at += size;
        }
        at_ = at;
    }

    [[gnu::noinline]] bool skip_container() {
        std::array<level, max_depth> levels;  // without content: most are never used
        std::size_t depth = 0;
        if (!open_level(levels[depth++], 0)) return false;
        while (depth != 0) {
            level& open = levels[depth - 1];
            skip_plain(open.left);
            if (open.left == 0) {
                --depth;
                continue;
            }
            if (!next()) return false;
            if (item_.kind == cbor_kind::stop && open.may_stop()) {
                --depth;
                continue;
            }
            --open.left;
            if (!opens()) {
                if (!skip_value()) return false;
            } else if (!open_level(levels[depth], depth)) {
                return false;
            } else {
                ++depth;
            }
        }
        return true;
    }

    const char* base_;
    const char* at_;
    const char* end_;
    const char* start_ = base_;  // of the current item
    cbor_item item_;
    std::string joined_key_;
    int depth_ = 0;
    std::unique_ptr<fault> fault_;  // made by the first failure
};

}  // namespace

std::expected<void, error> read_cbor(const value_type& type, void* object,
                                     std::span<const std::byte> payload) {
    cbor_reader reader{payload};
    if (!reader.read_root(type, object)) [[unlikely]]
        return std::unexpected(reader.take_error());
    return {};
}

}  // namespace waybill
