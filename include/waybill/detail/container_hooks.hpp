/// How codecs get at the inside of the standard's containers.
///
/// What a shorter message does not need is kept for the next longer one on this thread: destroying
/// it would free the capacity of the strings inside.
#pragma once

#include <waybill/value_type.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace waybill::detail {

/// Elements or nodes of type `Kept` that this thread has to spare.
template <class Kept>
std::vector<Kept>& spares() {
    thread_local std::vector<Kept> all;
    return all;
}

/// As many as fit into 4 KiB, beside what they have on the heap themselves.
template <class Value>
inline constexpr std::size_t max_spares = std::min<std::size_t>(4096 / sizeof(Value), 64);

template <class T>
struct optional_traits {
    static constexpr bool is = false;
};

template <class T>
struct optional_traits<std::optional<T>> {
    static constexpr bool is = true;
    using element = T;
    static constexpr optional_hooks hooks{
        [](void* at) -> void* {
            auto& value = *static_cast<std::optional<T>*>(at);
            if (!value) value.emplace(T{});
            return &*value;
        },
        [](void* at) { static_cast<std::optional<T>*>(at)->reset(); },
        [](const void* at) -> const void* {
            const auto& value = *static_cast<const std::optional<T>*>(at);
            return value ? &*value : nullptr;
        }};
};

template <class T>
struct vector_traits {
    static constexpr bool is = false;
};

template <class T>
struct vector_traits<std::vector<T>> {
    static constexpr bool is = true;
    using element = T;
    using vector = std::vector<T>;
    static constexpr bool worth_keeping = !std::is_trivially_destructible_v<T>;

    /// Twice the room, or what the budget has left for.
    static std::size_t wanted(const vector& all, const memory_budget& budget) noexcept {
        const std::size_t twice = std::max<std::size_t>(2 * all.size(), 4);
        return std::max(std::min(twice, budget.left() / sizeof(T)), all.size() + 1);
    }

    /// Moves to room for `capacity` elements.
    [[gnu::noinline]] static bool grow(vector& all, std::size_t capacity, memory_budget& budget) {
        const std::size_t had = all.capacity();
        if (!budget.take(capacity * sizeof(T))) return false;
        all.reserve(capacity);
        budget.give_back(had * sizeof(T));
        return true;
    }

    static void reserve(void* at, std::size_t size, memory_budget& budget) {
        auto& all = *static_cast<vector*>(at);
        if (size > all.capacity() && size < all.max_size()) (void)grow(all, size, budget);
    }

    static void* extend(void* at, memory_budget& budget) {
        auto& all = *static_cast<vector*>(at);
        if (all.size() == all.capacity() && !grow(all, wanted(all, budget), budget)) return nullptr;
        if constexpr (worth_keeping) {
            if (auto& kept = spares<T>(); !kept.empty()) {
                all.push_back(std::move(kept.back()));
                kept.pop_back();
                return &all.back();
            }
        }
        return &all.emplace_back();
    }

    static void truncate(void* at, std::size_t size) {
        auto& all = *static_cast<vector*>(at);
        if constexpr (worth_keeping) {
            auto& kept = spares<T>();
            for (std::size_t i = all.size(); i > size && kept.size() < max_spares<T>; --i)
                kept.push_back(std::move(all[i - 1]));
        }
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(size), all.end());
    }

    static constexpr sequence_hooks hooks{
        [](const void* at) noexcept { return static_cast<const vector*>(at)->size(); },
        [](void* at) noexcept -> void* { return static_cast<vector*>(at)->data(); }, reserve,
        extend, truncate};
};

template <class T>
struct array_traits {
    static constexpr bool is = false;
};

template <class T, std::size_t Length>
struct array_traits<std::array<T, Length>> {
    static constexpr bool is = true;
    static constexpr std::size_t length = Length;
    using element = T;
};

template <class T>
struct map_traits {
    static constexpr bool is = false;
};

/// A map whose keys are not std::string.
template <class T>
inline constexpr bool has_other_keys = false;
template <class Key, class T, class Order, class Allocator>
inline constexpr bool has_other_keys<std::map<Key, T, Order, Allocator>> =
    !std::is_same_v<Key, std::string>;
template <class Key, class T, class Hash, class Equal, class Allocator>
inline constexpr bool has_other_keys<std::unordered_map<Key, T, Hash, Equal, Allocator>> =
    !std::is_same_v<Key, std::string>;

/// Of any standard map whose keys are std::string.
template <class Map>
struct text_map_traits {
    static constexpr bool is = true;
    using element = typename Map::mapped_type;
    using node = typename Map::node_type;
    /// The node with its links and its place in a table of buckets.
    static constexpr std::size_t node_size = sizeof(typename Map::value_type) + 48;

    static void clear(void* at) {
        auto& all = *static_cast<Map*>(at);
        auto& kept = spares<node>();
        while (!all.empty() && kept.size() < max_spares<typename Map::value_type>)
            kept.push_back(all.extract(all.begin()));
        all.clear();
    }

    static map_hooks::place insert(void* at, std::string_view key, memory_budget& budget) {
        auto& all = *static_cast<Map*>(at);
        auto& kept = spares<node>();
        if (kept.empty()) {
            if (!budget.take(node_size)) return {nullptr, true};
            const auto made = all.try_emplace(std::string{key});
            return {&made.first->second, made.second};
        }
        kept.back().key().assign(key);
        auto done = all.insert(std::move(kept.back()));
        if (done.inserted)
            kept.pop_back();
        else
            kept.back() = std::move(done.node);
        return {&done.position->second, done.inserted};
    }

    static bool visit(const void* at, map_hooks::visitor visitor, void* context) {
        const auto& all = *static_cast<const Map*>(at);
        return std::all_of(all.begin(), all.end(), [&](const auto& entry) {
            return visitor(context, entry.first, &entry.second);
        });
    }

    static constexpr map_hooks hooks{
        [](const void* at) noexcept { return static_cast<const Map*>(at)->size(); }, clear, insert,
        visit};
};

template <class T, class Order, class Allocator>
struct map_traits<std::map<std::string, T, Order, Allocator>>
    : text_map_traits<std::map<std::string, T, Order, Allocator>> {};
template <class T, class Hash, class Equal, class Allocator>
struct map_traits<std::unordered_map<std::string, T, Hash, Equal, Allocator>>
    : text_map_traits<std::unordered_map<std::string, T, Hash, Equal, Allocator>> {};

template <class T>
struct variant_traits {
    static constexpr bool is = false;
};

template <class... Types>
struct variant_traits<std::variant<Types...>> {
    static constexpr bool is = true;
    static constexpr std::size_t count = sizeof...(Types);
    using variant = std::variant<Types...>;

    template <std::size_t Index>
    static void* select_one(variant& value) {
        if (value.index() != Index) value.template emplace<Index>();
        return std::get_if<Index>(&value);
    }

    template <std::size_t... Index>
    static void* select_among(variant& value, std::size_t index, std::index_sequence<Index...>) {
        constexpr std::array<void* (*)(variant&), count> all{&select_one<Index>...};
        return all[index](value);
    }

    static constexpr variant_hooks hooks{
        [](const void* at) noexcept { return static_cast<const variant*>(at)->index(); },
        [](void* at, std::size_t index) {
            return select_among(*static_cast<variant*>(at), index,
                                std::make_index_sequence<count>{});
        },
        [](const void* at) noexcept {
            return std::visit([](const auto& one) -> const void* { return &one; },
                              *static_cast<const variant*>(at));
        }};
};

}  // namespace waybill::detail
