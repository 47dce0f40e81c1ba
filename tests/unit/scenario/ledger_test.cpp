// The books: what came must go, move on or be found.
#include "scenario/ledger.hpp"

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <string_view>

using waybill::scenario::ledger;

namespace ledger_books {

std::uint64_t publish(ledger& books, std::string_view payload) {
    return books.publish("charges", std::as_bytes(std::span{payload}));
}

std::string wrong_in(const ledger& books) {
    std::string text;
    for (const auto& each : books.balance()) {
        if (!text.empty()) text += "; ";
        text += (each.is_lost ? "lost " : "invented ") + each.message;
    }
    return text.empty() ? "nothing" : text;
}

}  // namespace ledger_books

using namespace ledger_books;

TEST_CASE("a message that came and went balances, in each queue for itself") {
    ledger books;
    const auto id = publish(books, "a");
    books.came("charges", id);
    books.came("audits", id);
    books.went("charges", id);
    CHECK_EQ(wrong_in(books), R"(lost message 1 ("a", sent to charges) in audits)");
    books.went("audits", id);
    CHECK_EQ(wrong_in(books), "nothing");
}

TEST_CASE("a copy stands for its message, and the two are not one") {
    ledger books;
    const auto id = publish(books, "a");
    books.came("charges", id);
    books.came("charges", id);
    books.went("charges", id);
    CHECK_EQ(wrong_in(books), R"(lost message 1 ("a", sent to charges) in charges)");
    books.went("charges", id);
    CHECK_EQ(wrong_in(books), "nothing");
}

TEST_CASE("what goes and never came was invented") {
    ledger books;
    const auto first = publish(books, "a");
    publish(books, "b");
    books.came("charges", first);
    books.went("charges", first + 1);
    CHECK_EQ(wrong_in(books),
             "lost message 1 (\"a\", sent to charges) in charges; "
             "invented message 2 (\"b\", sent to charges) in charges");
}

TEST_CASE("what nobody published has no name but a number") {
    ledger books;
    books.went("charges", 0);
    CHECK_EQ(wrong_in(books), "invented message 0 in charges");
}

TEST_CASE("what a kill may take is written off, and nothing else") {
    ledger books;
    const auto first = publish(books, "a");
    const auto second = publish(books, "b");
    books.came(waybill::scenario::in_the_process, first);
    books.came(waybill::scenario::in_the_process, second);
    books.came("charges", second);
    books.write_off(waybill::scenario::in_the_process);
    CHECK_EQ(wrong_in(books), R"(lost message 2 ("b", sent to charges) in charges)");
    books.write_off_all();
    CHECK_EQ(wrong_in(books), "nothing");
}

TEST_CASE("a long payload shows by its beginning") {
    ledger books;
    const auto id = publish(books, std::string(100, 'x'));
    CHECK_EQ(books.describe(id), "message 1 (\"" + std::string(24, 'x') + "\", sent to charges)");
}
