#include "json_index.hpp"

#include "json_kernel.hpp"
#include "utf8.hpp"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <memory>

namespace waybill {
namespace {

using parser = simdjson::internal::dom_parser_implementation;

// On-Demand walks the same index at 285 instructions for two integers, checks no brackets against
// each other and cannot tell trailing bytes; the field-table reader does it at a third of that.
// Stage 1 is what simdjson is here for.
struct thread_parser {
    std::unique_ptr<parser> owned;
    ~thread_parser();
};

// The bare pointer spares the good path the guard of an object with a destructor.
constinit thread_local parser* current = nullptr;
thread_local thread_parser holder;

thread_parser::~thread_parser() { current = nullptr; }

constexpr std::size_t least_capacity = 4096;
// One huge message must not cost its thread four times its size for ever.
constexpr std::size_t largest_kept = std::size_t{4} << 20;

[[gnu::noinline]] bool make_room(std::size_t size) noexcept {
    const std::size_t capacity = std::max(least_capacity, std::bit_ceil(size));
    if (!holder.owned) {
        const auto& chosen = simdjson::get_active_implementation();
        if (chosen->create_dom_parser_implementation(least_capacity, 1, holder.owned) !=
            simdjson::SUCCESS)
            return false;
        current = holder.owned.get();
    }
    const bool fits = capacity <= current->capacity();
    return (fits && current->capacity() <= largest_kept) ||
           current->set_capacity(std::min(capacity, simdjson::SIMDJSON_MAXSIZE_BYTES)) ==
               simdjson::SUCCESS;
}

json_fault translate(simdjson::error_code code) noexcept {
    switch (code) {
        case simdjson::EMPTY:
            return json_fault::empty;
        case simdjson::UTF8_ERROR:
            return json_fault::not_utf8;
        case simdjson::UNCLOSED_STRING:
            return json_fault::unclosed_string;
        case simdjson::UNESCAPED_CHARS:
            return json_fault::control_character;
        case simdjson::CAPACITY:
            return json_fault::too_large;
        default:
            return json_fault::no_memory;
    }
}

}  // namespace

json_fault index_json(std::span<const std::byte> text, json_index& index) noexcept {
    if (text.empty()) return json_fault::empty;
    if (current == nullptr || text.size() > current->capacity() ||
        current->capacity() > largest_kept) [[unlikely]] {
        if (text.size() >= simdjson::SIMDJSON_MAXSIZE_BYTES) return json_fault::too_large;
        if (!make_room(text.size())) return json_fault::no_memory;
    }
    const auto code = current->stage1(reinterpret_cast<const std::uint8_t*>(text.data()),
                                      text.size(), simdjson::stage1_mode::regular);
    if (code != simdjson::SUCCESS) [[unlikely]]
        return translate(code);
    index.first = current->structural_indexes.get();
    index.last = index.first + current->n_structural_indexes;
    return json_fault::none;
}

bool is_utf8_slow(std::string_view text) noexcept {
    return simdjson::validate_utf8(text.data(), text.size());
}

namespace codecs {

std::string_view json_kernel() {
    static const std::string name = simdjson::get_active_implementation()->name();
    return name;
}

}  // namespace codecs
}  // namespace waybill
