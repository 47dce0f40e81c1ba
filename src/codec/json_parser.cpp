#include "json_parser.hpp"

#include "json_kernel.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace waybill {
namespace {

using parser = simdjson::ondemand::parser;

struct owner {
    std::unique_ptr<parser> owned;
    ~owner() { json_here = {}; }
};
thread_local owner holder;

constexpr std::size_t least_capacity = 4096;
// One huge message must not cost its thread six times its size for ever.
constexpr std::size_t largest_kept = std::size_t{4} << 20;

}  // namespace

constinit thread_local json_thread json_here;

parser* make_json_parser(std::size_t size) noexcept {
    json_here = {};
    if (!holder.owned) holder.owned.reset(new (std::nothrow) parser);
    if (!holder.owned) return nullptr;
    const std::size_t capacity =
        std::min(std::max(least_capacity, std::bit_ceil(size + 1)), holder.owned->max_capacity());
    if (holder.owned->allocate(capacity, holder.owned->max_depth()) != simdjson::SUCCESS)
        return nullptr;
    json_here.parser = holder.owned.get();
    json_here.limit = capacity > largest_kept ? 0 : capacity;
    return json_here.parser;
}

json_parser_pause::json_parser_pause() noexcept
    : reading_(std::move(holder.owned)), here_(std::exchange(json_here, {})) {}

json_parser_pause::~json_parser_pause() {
    holder.owned = std::move(reading_);
    json_here = here_;
}

byte_buffer& json_scratch(std::size_t size) {
    thread_local byte_buffer scratch;
    if (scratch.capacity() > largest_kept && size <= largest_kept) scratch = {};
    scratch.clear();
    scratch.reserve(size);
    return scratch;
}

namespace codecs {

std::string_view json_kernel() {
    static const std::string name = simdjson::get_active_implementation()->name();
    return name;
}

}  // namespace codecs
}  // namespace waybill
