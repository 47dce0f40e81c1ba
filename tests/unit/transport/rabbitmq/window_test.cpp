#include "transport/rabbitmq/window.hpp"

#include "heap_peak.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <vector>

namespace window_test {

using waybill::detail::publish_status;
using waybill::rabbitmq::publish;
using waybill::rabbitmq::publish_end;
using waybill::rabbitmq::returned_message;
using waybill::rabbitmq::window;
using enum publish_status;

class rig {
public:
    explicit rig(std::size_t most = 100) : all{most} {}

    publish& add(std::string_view key, std::string_view mark = {}) {
        auto& made = kept_.emplace_back();
        made.bytes.append(key);
        made.key_size = static_cast<std::uint32_t>(key.size());
        if (!mark.empty()) {
            const waybill::headers with{{"waybill-copy", mark}};
            made.bytes.append(with.packed().data(), with.packed().size());
            made.headers_size = with.packed().size();
        }
        all.submit(made);
        return made;
    }
    std::string send() {
        std::string keys;
        while (auto* next = all.next()) keys += std::string{next->view().key} + ' ';
        return keys;
    }
    void confirm(std::uint64_t tag, bool multiple = false, bool taken = true) {
        all.confirmed(tag, multiple, taken, ended);
    }
    std::string happened() {
        std::string text;
        for (const auto& each : std::exchange(ended, {})) {
            text += std::string{each.of->view().key} + '=' +
                    std::to_string(static_cast<int>(each.how)) + ' ';
        }
        return text;
    }

    window all;
    std::vector<publish_end> ended;

private:
    std::deque<publish> kept_;
};

std::string is(std::string_view key, publish_status how) {
    return std::string{key} + '=' + std::to_string(static_cast<int>(how)) + ' ';
}

TEST_CASE("confirmations come in any order, one or many at once") {
    rig with;
    for (const auto* key : {"a", "b", "c", "d"}) with.add(key);
    CHECK(with.send() == "a b c d ");
    with.confirm(2);
    CHECK(with.happened() == is("b", confirmed));
    with.confirm(3, true);
    CHECK(with.happened() == is("a", confirmed) + is("c", confirmed));
    with.confirm(4, false, false);
    CHECK(with.happened() == is("d", failed));
    with.confirm(4);
    with.confirm(9, true);
    CHECK(with.happened().empty());
    CHECK(with.all.in_flight() == 0);
}

TEST_CASE("no more are in flight than the window allows") {
    rig with{2};
    for (const auto* key : {"a", "b", "c"}) with.add(key);
    CHECK(with.send() == "a b ");
    with.confirm(1);
    CHECK(with.send() == "c ");
}

TEST_CASE("a return makes its confirmation unroutable") {
    rig with;
    with.add("a", "root/1");
    with.add("a", "root/2");
    with.send();
    const waybill::headers mark{{"waybill-copy", "root/2"}};
    with.all.returned({1, 312, "NO_ROUTE", "", "a", mark.packed()});
    with.confirm(2, true);
    CHECK(with.happened() == is("a", confirmed) + is("a", unroutable));
}

TEST_CASE("those that cannot be told apart all count as returned") {
    rig with;
    for (const auto* key : {"a", "b", "a"}) with.add(key);
    with.send();
    with.all.returned({1, 312, "NO_ROUTE", "", "a", {}});
    with.confirm(3, true);
    CHECK(with.happened() == is("a", unroutable) + is("b", confirmed) + is("a", unroutable));
}

TEST_CASE("what was in flight when the connection fell is sent again, in its order") {
    rig with;
    for (const auto* key : {"a", "b", "c"}) with.add(key);
    with.send();
    with.confirm(2);
    with.happened();
    with.add("d");
    with.all.connection_lost();
    CHECK(with.send() == "a c d ");
    with.confirm(3, true);
    CHECK(with.happened() == is("a", confirmed) + is("c", confirmed) + is("d", confirmed));
}

TEST_CASE("the publish that closes the channel fails alone") {
    rig with;
    for (const auto* key : {"a", "bad", "c"}) with.add(key);
    with.send();
    with.all.channel_closed(refused, with.ended);
    CHECK(with.happened().empty());
    CHECK(with.send() == "a ");  // one at a time
    with.confirm(1);
    CHECK(with.happened() == is("a", confirmed));
    with.add("d");
    CHECK(with.send() == "bad ");
    with.all.channel_closed(refused, with.ended);
    CHECK(with.happened() == is("bad", refused));
    CHECK(with.send() == "c ");
    with.confirm(1);
    CHECK(with.send() == "d ");
    with.confirm(2);
    CHECK(with.happened() == is("c", confirmed) + is("d", confirmed));
}

TEST_CASE(
    "the publish for which the server ends the connection twice, while it is alone, fails alone") {
    rig with;
    for (const auto* key : {"a", "bad", "c"}) with.add(key);
    with.send();
    with.all.connection_ended(with.ended);
    CHECK(with.send() == "a ");  // one at a time
    with.confirm(1);
    CHECK(with.happened() == is("a", confirmed));
    CHECK(with.send() == "bad ");
    with.all.connection_ended(with.ended);
    CHECK(with.happened().empty());
    CHECK(with.send() == "bad ");
    with.all.connection_lost();  // this one says nothing
    CHECK(with.send() == "bad ");
    with.all.connection_ended(with.ended);
    CHECK(with.happened() == is("bad", refused));
    CHECK(with.send() == "c ");
    with.all.connection_ended(with.ended);
    CHECK(with.happened().empty());
    CHECK(with.send() == "c ");
    with.confirm(1);
    CHECK(with.happened() == is("c", confirmed));
}

TEST_CASE("a server that ends the connection again costs none that was alone at one end only") {
    rig with;
    for (const auto* key : {"a", "b"}) with.add(key);
    with.send();
    with.all.connection_ended(with.ended);
    CHECK(with.send() == "a ");
    with.all.connection_ended(with.ended);
    CHECK(with.happened().empty());
    for (const auto* key : {"a", "b"}) {
        CHECK(with.send() == std::string{key} + ' ');
        with.confirm(1);
        CHECK(with.happened() == is(key, confirmed));
        with.all.connection_lost();
    }
}

/// Others are sent and confirmed one by one, behind what is in flight; the tag of the last of them.
std::uint64_t confirm_others(rig& with, std::uint64_t last_tag, int count) {
    publish other;
    for (int each = 0; each < count; ++each) {
        with.all.submit(other);
        REQUIRE(with.all.next() == &other);
        with.confirm(++last_tag);
        REQUIRE(with.ended.size() == 1);
        with.ended.clear();
    }
    return last_tag;
}

TEST_CASE("while one is never confirmed, what others leave behind does not grow") {
    rig with;
    with.add("stuck");
    with.add("b");
    with.add("stuck too");
    with.send();
    with.confirm(2);
    with.happened();
    const support::heap_watch watch;
    const auto last = confirm_others(with, 3, 100'000);
    CHECK(watch.peak() < std::size_t{16} * 1024);
    // And each is still known by its tag.
    for (const auto ended : {std::uint64_t{2}, std::uint64_t{50'000}, last, last + 1}) {
        with.confirm(ended);
        CHECK(with.ended.empty());
    }
    with.add("d");
    with.send();
    with.confirm(3);
    CHECK(with.happened() == is("stuck too", confirmed));
    with.confirm(last + 1);
    CHECK(with.happened() == is("d", confirmed));
    with.confirm(last, true);
    CHECK(with.happened() == is("stuck", confirmed));
    CHECK(with.all.in_flight() == 0);
}

TEST_CASE("with many in flight, each is found by its tag however many before it have ended") {
    constexpr std::uint64_t count = 1000;
    rig with{count};
    for (std::uint64_t each = 1; each <= count; ++each) with.add(std::to_string(each));
    with.send();
    // In an order that leaves gaps of all sizes: 300 and 1001 have no divisor in common.
    for (std::uint64_t each = 1; each <= count; ++each) {
        const auto tag = each * 300 % (count + 1);
        with.confirm(tag);
        REQUIRE(with.happened() == is(std::to_string(tag), confirmed));
    }
    CHECK(with.all.in_flight() == 0);
}

TEST_CASE("one that is withdrawn is told nothing, and its tag is passed over") {
    rig with{2};
    auto& first = with.add("a");
    with.add("b");
    auto& waiting = with.add("c");
    CHECK(with.send() == "a b ");
    CHECK(with.all.withdraw(first));
    CHECK(with.all.withdraw(waiting));
    CHECK_FALSE(with.all.withdraw(first));
    with.confirm(1);
    with.confirm(2);
    CHECK(with.happened() == is("b", confirmed));
    CHECK(with.send().empty());
}

TEST_CASE("at the end everything is told, what was sent first") {
    rig with{2};
    for (const auto* key : {"a", "b", "c"}) with.add(key);
    with.send();
    with.all.end_all(lost, with.ended);
    CHECK(with.happened() == is("a", lost) + is("b", lost) + is("c", lost));
}

}  // namespace window_test
