#include "samples.hpp"
#include <waybill/fields.hpp>

#include <doctest/doctest.h>

#include <thread>

using namespace samples;

namespace samples {

struct many {
    int a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2,
        c3, c4, c5, c6, c7, c8, c9, d0, d1;
};
struct base {
    int x;
};
struct derived : base {
    int y;
};
struct with_array {
    int before;
    char text[8];
    int after;
};
struct with_reference {
    int x;
    int& y;
};
class with_private {
public:
    int x() const { return x_; }

private:
    int x_ = 0;
};
struct only_optional {
    std::optional<std::string> only;
};
struct a_name_longer_than_sixteen {
    std::optional<int> the_first_of_two_names_that_differ_late_1;
    int the_first_of_two_names_that_differ_late_2 = 0;
};

}  // namespace samples

TEST_CASE("fields have their names, offsets and types, in order") {
    const auto fields = waybill::fields_of<line>();
    REQUIRE(fields.size() == 3);
    CHECK(fields[0].name() == "sku");
    CHECK(fields[1].name() == "cents");
    CHECK(fields[1].offset == offsetof(line, cents));
    CHECK(fields[2].type->kind == waybill::value_kind::optional);
    CHECK(fields[2].type->element->kind == waybill::value_kind::string);
    CHECK(waybill::fields_of<many>().size() == 32);
    CHECK(waybill::fields_of<many>()[31].name() == "d1");
    CHECK(waybill::fields_of<nothing>().empty());
    CHECK(waybill::fields_of<only_optional>()[0].name() == "only");
}

TEST_CASE("types have names that people read") {
    CHECK(waybill::value_type_of<line>().name == "line");
    CHECK(waybill::value_type_of<std::vector<line>>().name == "std::vector<line>");
    CHECK(waybill::value_type_of<std::string>().name == "std::string");
    CHECK(waybill::value_type_of<std::optional<long>>().name == "std::optional<std::int64_t>");
    CHECK(waybill::value_type_of<state>().name == "state");
    CHECK(waybill::value_type_of<std::vector<std::byte>>().kind == waybill::value_kind::bytes);
}

TEST_CASE("enumerators are found with gaps and below zero") {
    const auto found = waybill::value_type_of<state>().enumerators;
    REQUIRE(found.size() == 3);
    CHECK(found[0].name == "lost");
    CHECK(found[0].value == -3);
    CHECK(found[2].name == "paid");
    CHECK(waybill::value_type_of<legacy>().enumerators.size() == 2);
}

TEST_CASE("a type may contain itself") {
    const auto& about = waybill::value_type_of<tree>();
    CHECK(about.fields[1].type->element == &about);
}

TEST_CASE("what cannot be a message is told apart") {
    static_assert(waybill::reflectable<order>);
    static_assert(waybill::reflectable<std::string>);
    static_assert(waybill::reflectable<tree>);
    static_assert(waybill::reflectable<nothing>);
    static_assert(!waybill::reflectable<derived>);
    static_assert(!waybill::reflectable<with_array>);
    static_assert(!waybill::reflectable<with_reference>);
    static_assert(!waybill::reflectable<with_private>);
    static_assert(!waybill::reflectable<char>);
    static_assert(!waybill::reflectable<const line>);
    static_assert(!waybill::reflectable<line&>);
    static_assert(!waybill::reflectable<int*>);
}

TEST_CASE("a description owns the life of a value whose type is not known") {
    const auto& about = waybill::value_type_of<order>();
    alignas(order) std::byte place[sizeof(order)];
    about.construct(place);
    auto& object = *reinterpret_cast<order*>(place);
    CHECK(object == order{});
    object = full_order();
    const order other = full_order();
    about.assign(place, &other);
    CHECK(object == other);
    about.destroy(place);
}

TEST_CASE("long names are compared to their end") {
    const auto read =
        from_json<a_name_longer_than_sixteen>(R"({"the_first_of_two_names_that_differ_late_2":5})");
    REQUIRE(read);
    CHECK(read->the_first_of_two_names_that_differ_late_2 == 5);
    CHECK(!read->the_first_of_two_names_that_differ_late_1);
    CHECK(from_cbor<a_name_longer_than_sixteen>(to_cbor(*read)));
}

TEST_CASE("threads may ask for a description at the same time") {
    struct pair_of_types {
        const waybill::value_type* one;
        const waybill::value_type* two;
    };
    std::vector<pair_of_types> seen(4);
    {
        std::vector<std::jthread> threads;
        for (auto& mine : seen)
            threads.emplace_back([&mine] {
                mine.one = &waybill::value_type_of<std::vector<order>>();
                mine.two = &waybill::value_type_of<std::vector<tree>>();
            });
    }
    for (const auto& mine : seen) {
        CHECK(mine.one == seen[0].one);
        CHECK(mine.one->element->fields.size() == 11);
        CHECK(mine.two->element->fields.size() == 2);
    }
}
