/// What bench_codecs compares: libraries that read and write the same messages.
#pragma once

#include "../messages.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

/// One library at one job.
struct row {
    std::string format;                     ///< "json"
    std::string size;                       ///< "28"
    std::string direction;                  ///< "decode"
    std::string library;                    ///< "RapidJSON"
    std::function<void(std::size_t)> work;  ///< reads or writes that many messages
};
using rows = std::vector<row>;

void add_waybill(rows& all);
void add_nlohmann(rows& all);
void add_rapidjson(rows& all);
void add_msgpack_c(rows& all);
void add_libcbor(rows& all);

/// The message in that format, its fields in the order of the struct; good until the program ends.
std::string_view payload_of(std::string_view format, std::string_view size);

/// Calls `add("28", payment)` and `add("1k", purchase)`.
template <class Add>
void for_each_message(Add add) {
    add(std::string{"28"}, make_payment());
    add(std::string{"1k"}, make_purchase());
}

/// Repeats `once`, and keeps the compiler from leaving it out.
template <class Once>
std::function<void(std::size_t)> repeated(Once once) {
    return [once = std::move(once)](std::size_t count) mutable {
        for (std::size_t at = 0; at < count; ++at) {
            once();
            asm volatile("" : : : "memory");
        }
    };
}

[[noreturn]] void fail_row(const row& wrong);

/// `read(object)` has to make the sample of any object.
template <class T, class Read>
void add_decoder(rows& all, const std::string& format, const std::string& size,
                 const std::string& library, const T& sample, const Read& read) {
    all.push_back(
        {format, size, "decode", library, repeated([read, into = T{}]() mutable { read(into); })});
    T made{};
    read(made);
    if (made != sample) fail_row(all.back());
}

/// `write()` writes the sample and returns the number of bytes, which has to be the payload's.
template <class Write>
void add_encoder(rows& all, const std::string& format, const std::string& size,
                 const std::string& library, const Write& write) {
    all.push_back({format, size, "encode", library, repeated([write] { (void)write(); })});
    if (write() != payload_of(format, size).size()) fail_row(all.back());
}

/// `visit("order", one.order)` and so on: what a user of a library without reflection writes down.
template <class Message, class Visit>
void visit_fields(Message& one, Visit visit) {
    using plain = std::remove_const_t<Message>;
    if constexpr (std::is_same_v<plain, payment>) {
        visit("order", one.order);
        visit("cents", one.cents);
    } else if constexpr (std::is_same_v<plain, address>) {
        visit("street", one.street);
        visit("city", one.city);
        visit("postcode", one.postcode);
    } else if constexpr (std::is_same_v<plain, item>) {
        visit("sku", one.sku);
        visit("count", one.count);
        visit("cents", one.cents);
        visit("note", one.note);
    } else {
        static_assert(std::is_same_v<plain, purchase>);
        visit("id", one.id);
        visit("customer", one.customer);
        visit("currency", one.currency);
        visit("ship_to", one.ship_to);
        visit("items", one.items);
        visit("total", one.total);
        visit("paid", one.paid);
    }
}

template <class T>
concept message = std::is_same_v<T, payment> || std::is_same_v<T, address> ||
                  std::is_same_v<T, item> || std::is_same_v<T, purchase>;

/// How many fields `visit_fields` goes through.
template <message Message>
std::uint32_t count_fields(const Message& one) {
    std::uint32_t count = 0;
    visit_fields(one, [&](std::string_view, const auto&) { ++count; });
    return count;
}

}  // namespace bench
