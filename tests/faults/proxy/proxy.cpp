#include "faults/proxy/proxy.hpp"

#include "faults/proxy/engine.hpp"

#include <expected>
#include <stdexcept>
#include <string>
#include <utility>

namespace faults {
namespace {

template <class Value>
Value worth(std::expected<Value, std::string> read) {
    if (!read) throw std::invalid_argument{read.error()};
    return *std::move(read);
}

}  // namespace

proxy::proxy(proxy_options options) : engine_{std::make_unique<engine>(std::move(options))} {}
proxy::~proxy() = default;

std::uint16_t proxy::port() const noexcept { return engine_->port(); }

void proxy::add(rule one) {
    engine_->locked([&] { engine_->rules_.add(std::move(one)); });
}

void proxy::add(std::string_view text) { add(worth(read_rule(text))); }

void proxy::clear() {
    engine_->locked([&] { engine_->rules_.clear(); });
}

void proxy::act(const action& what) {
    engine_->locked([&] { engine_->act_on_all(what); });
}

void proxy::act(std::string_view text) { act(worth(read_action(text))); }

std::uint64_t proxy::seen(side from, std::string_view name) const {
    return engine_->locked([&] {
        const auto& counts = engine_->seen_[static_cast<std::size_t>(from)];
        const auto found = counts.find(name);
        return found == counts.end() ? 0 : found->second;
    });
}

std::uint64_t proxy::most_bytes(side from) const {
    return engine_->locked([&] { return engine_->most_bytes_[static_cast<std::size_t>(from)]; });
}

std::uint64_t proxy::accepted() const {
    return engine_->locked([&] { return engine_->accepted_; });
}

std::uint64_t proxy::acted() const {
    return engine_->locked([&] { return engine_->acted_; });
}

bool proxy::wait_acted(std::uint64_t times, std::chrono::milliseconds at_most) const {
    return engine_->wait_acted(times, at_most);
}

}  // namespace faults
