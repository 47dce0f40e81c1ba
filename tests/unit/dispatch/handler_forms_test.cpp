// Every form in which a handler may be written: each one runs, and answers what it answers.
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace handler_forms {

struct order {
    std::uint64_t id;
};

using ids = std::vector<std::uint64_t>;

/// Runs one message through a handler subscribed as "orders"; returns the app for looks.
template <class Handler>
std::unique_ptr<waybill::test_app> after_one_order(Handler&& handler) {
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(waybill::memory::queue("orders"), std::forward<Handler>(handler));
    auto tb = std::make_unique<waybill::test_app>(std::move(app));
    tb->publish("orders", order{7});
    return tb;
}

std::vector<waybill::outcome> only(waybill::outcome answer) { return {answer}; }

waybill::outcome plain(const order& o) { return o.id == 7 ? waybill::drop() : waybill::ack(); }
waybill::outcome never_throws(const order& o) noexcept { return plain(o); }
template <class Message>
waybill::outcome of_any(const Message& m) {
    return plain(m);
}
waybill::outcome overloaded(const order& o) { return plain(o); }
[[maybe_unused]] waybill::outcome overloaded(std::span<const std::byte>) { return waybill::ack(); }

struct with_static {
    static waybill::outcome charge(const order& o) { return plain(o); }
};

TEST_CASE("a handler is a function, and the test kit finds its runs by it") {
    const auto tb = after_one_order(plain);
    CHECK(tb->calls(plain) == 1);
    CHECK(tb->outcomes(plain) == only(waybill::drop()));
}

TEST_CASE("a handler is a pointer to a function") {
    const auto tb = after_one_order(&plain);
    CHECK(tb->outcomes(&plain) == only(waybill::drop()));
}

TEST_CASE("a handler is a noexcept function") {
    const auto tb = after_one_order(never_throws);
    CHECK(tb->outcomes(never_throws) == only(waybill::drop()));
}

TEST_CASE("a handler is a function template with its type named") {
    const auto tb = after_one_order(of_any<order>);
    CHECK(tb->outcomes(of_any<order>) == only(waybill::drop()));
}

TEST_CASE("a handler is an overloaded function that a cast has chosen") {
    const auto tb = after_one_order(static_cast<waybill::outcome (*)(const order&)>(overloaded));
    CHECK(tb->outcomes("orders") == only(waybill::drop()));
}

TEST_CASE("a handler is a static member function") {
    const auto tb = after_one_order(with_static::charge);
    CHECK(tb->outcomes(with_static::charge) == only(waybill::drop()));
}

TEST_CASE("a handler is a lambda with captures") {
    ids seen;
    const auto handler = [&seen](const order& o) { seen.push_back(o.id); };
    const auto tb = after_one_order(handler);
    CHECK(seen == ids{7});
    CHECK(tb->calls<decltype(handler)>() == 1);
}

TEST_CASE("a mutable lambda keeps what it changed from one delivery to the next") {
    ids seen;
    const auto tb = after_one_order(
        [count = std::uint64_t{0}, &seen](const order&) mutable { seen.push_back(++count); });
    tb->publish("orders", order{8});
    CHECK(seen == ids{1, 2});
}

TEST_CASE("a handler is a lambda that can only be moved") {
    ids seen;
    const auto tb = after_one_order(
        [owned = std::make_unique<ids*>(&seen)](const order& o) { (*owned)->push_back(o.id); });
    CHECK(seen == ids{7});
}

TEST_CASE("a handler is a noexcept lambda") {
    const auto tb = after_one_order([](const order&) noexcept { return waybill::drop(); });
    CHECK(tb->outcomes("orders") == only(waybill::drop()));
}

TEST_CASE("a handler is a std::function") {
    const std::function<waybill::outcome(const order&)> handler = plain;
    const auto tb = after_one_order(handler);
    CHECK(tb->outcomes("orders") == only(waybill::drop()));
}

TEST_CASE("an empty std::function is found before the app starts") {
    CHECK_THROWS_AS(after_one_order(std::function<void(const order&)>{}), waybill::test_failure);
}

TEST_CASE("a handler is a std::move_only_function") {
    std::move_only_function<waybill::outcome(const order&)> handler = plain;
    const auto tb = after_one_order(std::move(handler));
    CHECK(tb->outcomes("orders") == only(waybill::drop()));
}

struct counter {
    ids seen;
    void handle(const order& o) { seen.push_back(o.id); }
};

TEST_CASE("std::ref lends a handler that stays where it is, found by its class") {
    counter mine;
    const auto tb = after_one_order(std::ref(mine));
    CHECK(mine.seen == ids{7});
    CHECK(tb->calls<counter>() == 1);
}

struct const_handle {
    waybill::outcome handle(const order& o) const { return plain(o); }
};

TEST_CASE("std::cref lends a handler whose handle is const") {
    const const_handle mine;
    const auto tb = after_one_order(std::cref(mine));
    CHECK(tb->outcomes("orders") == only(waybill::drop()));
}
struct noexcept_handle {
    waybill::outcome handle(const order& o) noexcept { return plain(o); }
};
struct const_noexcept_handle {
    waybill::outcome handle(const order& o) const noexcept { return plain(o); }
};
struct lvalue_handle {
    waybill::outcome handle(const order& o) & { return plain(o); }
};
struct const_lvalue_handle {
    waybill::outcome handle(const order& o) const& { return plain(o); }
};
struct lvalue_noexcept_handle {
    waybill::outcome handle(const order& o) & noexcept { return plain(o); }
};
struct const_lvalue_noexcept_handle {
    waybill::outcome handle(const order& o) const& noexcept { return plain(o); }
};
struct inherited_handle : const_handle {};
/// Its call operator is not what handles.
struct handle_and_call {
    waybill::outcome handle(const order& o) { return plain(o); }
    void operator()(int, int) const {}
};
struct call_operator {
    waybill::outcome operator()(const order& o) const& { return plain(o); }
};

TEST_CASE_TEMPLATE("a handler is an object of a class, however its handle is qualified", Handler,
                   const_handle, noexcept_handle, const_noexcept_handle, lvalue_handle,
                   const_lvalue_handle, lvalue_noexcept_handle, const_lvalue_noexcept_handle,
                   inherited_handle, handle_and_call, call_operator) {
    const auto tb = after_one_order(Handler{});
    CHECK(tb->template outcomes<Handler>() == only(waybill::drop()));
}

class with_references {
public:
    with_references(ids& seen, const std::string& prefix) : seen_{seen}, prefix_{prefix} {}
    waybill::outcome handle(const order& o) {
        seen_.push_back(o.id + prefix_.size());
        return waybill::ack();
    }

private:
    ids& seen_;
    const std::string& prefix_;
};

TEST_CASE("a handler is an object with reference members") {
    ids seen;
    const std::string prefix = "abc";
    const auto tb = after_one_order(with_references{seen, prefix});
    CHECK(seen == ids{10});
    CHECK(tb->outcomes<with_references>() == only(waybill::ack()));
}

TEST_CASE("a handler without parameters is run for every message, whatever it holds") {
    int runs = 0;
    const auto tb = after_one_order([&runs] { ++runs; });
    tb->publish_raw("orders", "no order at all");
    CHECK(runs == 2);
}

}  // namespace handler_forms
