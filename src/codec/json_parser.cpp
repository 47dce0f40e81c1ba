#include "json_parser.hpp"

#include "json_kernel.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <string>

namespace waybill {
namespace {

using parser = simdjson::ondemand::parser;

struct thread_parser {
    std::unique_ptr<parser> owned;
    ~thread_parser();
};

// The bare pointer spares the good path the guard of an object with a destructor.
constinit thread_local parser* current = nullptr;
thread_local thread_parser holder;

thread_parser::~thread_parser() { current = nullptr; }

constexpr std::size_t least_capacity = 4096;
// One huge message must not cost its thread six times its size for ever.
constexpr std::size_t largest_kept = std::size_t{4} << 20;

[[gnu::cold, gnu::noinline]] parser* make_room(std::size_t size) noexcept {
    if (!holder.owned) holder.owned.reset(new (std::nothrow) parser);
    if (!holder.owned) return nullptr;
    const std::size_t capacity = std::max(least_capacity, std::bit_ceil(size));
    const auto done = holder.owned->allocate(std::min(capacity, holder.owned->max_capacity()),
                                             holder.owned->max_depth());
    current = done == simdjson::SUCCESS ? holder.owned.get() : nullptr;
    return current;
}

}  // namespace

parser* json_parser(std::size_t size) noexcept {
    if (current == nullptr || size > current->capacity() || current->capacity() > largest_kept)
        [[unlikely]]
        return make_room(size);
    return current;
}

byte_buffer& json_scratch(std::size_t size) {
    thread_local byte_buffer scratch;
    if (scratch.capacity() > largest_kept && size <= largest_kept) scratch = {};
    scratch.clear();
    scratch.reserve(size);
    return scratch;
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
