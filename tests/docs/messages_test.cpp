// The parts of docs/messages.md: `// [name]` begins one and `// [/name]` ends it.
#include "table.hpp"
#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

using waybill::memory::queue;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span{text});
}

template <class T>
std::string json_of(const T& value) {
    const auto bytes = waybill::encode(waybill::codecs::json(), value).value();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
std::expected<T, waybill::error> from_json(std::string_view text) {
    return waybill::decode<T>(waybill::codecs::json(), bytes_of(text));
}

}  // namespace

// [message]
namespace shop {

enum class channel { web, phone, till };

struct line {
    std::string sku;
    std::uint32_t cents = 0;
};

struct order {
    std::uint64_t id = 0;
    channel from = channel::web;
    std::vector<line> lines;
    std::optional<std::string> remark;
};

}  // namespace shop
// [/message]

TEST_CASE("a message is a plain struct") {
    // [round trip]
    const shop::order sent{
        .id = 7, .from = shop::channel::till, .lines = {{"A-1", 250}}, .remark = {}};
    const auto payload = waybill::encode(waybill::codecs::json(), sent);
    const auto read = waybill::decode<shop::order>(waybill::codecs::json(), *payload);
    CHECK(read->lines[0].cents == 250);
    // [/round trip]
    CHECK(json_of(sent) == R"({"id":7,"from":"till","lines":[{"sku":"A-1","cents":250}]})");
}

// [traits]
namespace shop {

struct invoice {
    std::uint64_t total = 0;
    std::string currency;
    std::uint32_t copies = 1;
    bool is_printed = false;
};

}  // namespace shop

template <>
struct waybill::message_traits<shop::invoice> {
    static constexpr auto fields = std::tuple{
        waybill::renamed(&shop::invoice::total, "total_cents"),
        waybill::defaulted(&shop::invoice::currency, "GBP"),  // absent: "GBP"
        waybill::defaulted(&shop::invoice::copies),           // absent: as in invoice{}, so 1
        waybill::left_out(&shop::invoice::is_printed),        // neither written nor read
    };
    static constexpr bool is_closed = true;
};
// [/traits]

TEST_CASE("names, defaults and what is left out stand beside the type") {
    CHECK(json_of(shop::invoice{5, "EUR", 2, true}) ==
          R"({"total_cents":5,"currency":"EUR","copies":2})");
    // [absent]
    const auto read = from_json<shop::invoice>(R"({"total_cents":5})");
    CHECK(read->currency == "GBP");
    CHECK(read->copies == 1);
    CHECK(!from_json<shop::invoice>(R"({"total_cents":5,"colour":"red"})"));  // it is closed
    // [/absent]
}

// [variant]
namespace shop {

struct paid {
    std::uint64_t cents = 0;
};
struct declined {
    std::string why;
};
struct event {
    std::uint64_t order = 0;
    std::variant<paid, declined> what;
};

}  // namespace shop

template <>
struct waybill::message_traits<shop::declined> {
    static constexpr std::string_view name = "refused";  // else "declined"
};
// [/variant]

TEST_CASE("a variant is an object with one key, its alternative's name") {
    // [variant on the wire]
    CHECK(json_of(shop::event{7, shop::paid{250}}) ==
          R"({"order":7,"what":{"paid":{"cents":250}}})");
    CHECK(json_of(shop::event{7, shop::declined{"no funds"}}) ==
          R"({"order":7,"what":{"refused":{"why":"no funds"}}})");
    // [/variant on the wire]
    CHECK(std::holds_alternative<shop::declined>(
        from_json<shop::event>(R"({"order":7,"what":{"refused":{"why":""}}})")->what));
}

// [scalar]
namespace shop {

class money {
public:
    money() = default;
    explicit money(std::int64_t cents) : cents_(cents) {}
    std::int64_t cents() const { return cents_; }

private:
    std::int64_t cents_ = 0;
};

}  // namespace shop

template <>
struct waybill::scalar<shop::money> {
    static std::int64_t to_wire(const shop::money& value) { return value.cents(); }
    static std::expected<shop::money, std::string> from_wire(std::int64_t cents) {
        if (cents < 0) return std::unexpected{"expected an amount of 0 or more"};
        return shop::money{cents};
    }
};
// [/scalar]

TEST_CASE("a type of one's own stands as a number, bool, text or bytes") {
    CHECK(json_of(std::vector{shop::money{250}}) == "[250]");
    CHECK(from_json<std::vector<shop::money>>("[1,250]")->at(1).cents() == 250);
    CHECK(from_json<std::vector<shop::money>>("[1,-2]").error().message() ==
          "[1], byte 3: expected an amount of 0 or more, found `-2]`");
}

// [borrowed]
namespace shop {

struct reading {
    std::string_view sensor;
    std::span<const std::byte> samples;
};

std::string last_sensor;

void store(const reading& from) {
    last_sensor = from.sensor;  // a copy: what `from` views ends with this call
}

}  // namespace shop
// [/borrowed]

TEST_CASE("borrowed text is there while the handler runs") {
    waybill::app app{"shop", "1"};
    app.broker(waybill::memory::broker{}).subscribe(queue("readings"), shop::store);
    waybill::test_app tb{std::move(app)};
    tb.publish_raw("readings", R"({"sensor":"oven \u0031","samples":"AQI="})");
    CHECK(shop::last_sensor == "oven 1");
}

namespace evolution {

// [evolution]
struct shipment_1 {  // what runs today
    std::uint64_t id = 0;
};
struct shipment_2 {  // one field more
    std::uint64_t id = 0;
    std::optional<std::string> carrier;
};
// [/evolution]

}  // namespace evolution

TEST_CASE("a field is added without stopping anything") {
    using namespace evolution;
    // [evolution works]
    const auto old_reads_new = from_json<shipment_1>(R"({"id":7,"carrier":"bike"})");
    const auto new_reads_old = from_json<shipment_2>(R"({"id":7})");
    CHECK(old_reads_new->id == 7);
    CHECK(!new_reads_old->carrier);
    // [/evolution works]
}

namespace evolution {

// [rename]
struct parcel {
    std::optional<std::uint64_t> weight;  // the old name: still written, read where `grams` is not
    std::optional<std::uint64_t> grams;   // the new name
};
// [/rename]

}  // namespace evolution

TEST_CASE("a field is renamed in two steps") {
    CHECK(from_json<evolution::parcel>(R"({"weight":5})")->weight == 5U);
    CHECK(from_json<evolution::parcel>(R"({"grams":5})")->grams == 5U);
}

TEST_CASE("the subscription's codec comes before the router's, and that before the app's") {
    waybill::app app{"shop", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    int count = 0;
    const auto handle = [&count](const shop::line&) { ++count; };
    // [choosing]
    app.codec(waybill::codecs::cbor());  // else JSON
    broker.subscribe(queue("lines"), handle);

    waybill::router partners;
    partners.codec(waybill::codecs::json());
    partners.subscribe(queue("partner.lines"), handle);
    partners.subscribe(queue("partner.packed"), handle).codec(waybill::codecs::msgpack());
    broker.mount(std::move(partners));
    // [/choosing]
    waybill::test_app tb{std::move(app)};
    const shop::line sent{"A-1", 250};
    tb.publish_raw("lines", waybill::encode(waybill::codecs::cbor(), sent).value());
    tb.publish_raw("partner.lines", waybill::encode(waybill::codecs::json(), sent).value());
    tb.publish_raw("partner.packed", waybill::encode(waybill::codecs::msgpack(), sent).value());
    CHECK(count == 3);
}

TEST_CASE("a codec of one's own takes ten lines") {
    // [own codec]
    const auto plain = waybill::own_codec<shop::line>(
        "plain", "text/plain",
        [](std::string_view payload, shop::line& into) {
            std::istringstream text{std::string{payload}};
            return text >> into.sku >> into.cents && text.eof();
        },
        [](const shop::line& from, waybill::byte_buffer& out) {
            out.append(from.sku + ' ' + std::to_string(from.cents));
            return true;
        });
    // [/own codec]
    CHECK(waybill::decode<shop::line>(plain, bytes_of("A-1 250"))->cents == 250);
    CHECK(!waybill::decode<shop::line>(plain, bytes_of("A-1")));
    CHECK(!waybill::decode<shop::line>(plain, bytes_of("A-1 250 more")));
    CHECK(waybill::encode(plain, shop::line{"A-1", 250})->size() == 7);

    std::ifstream source{"tests/docs/messages_test.cpp"};
    int lines = 0;
    bool is_inside = false;
    for (std::string line; std::getline(source, line);) {
        if (line == "    // [/own codec]") is_inside = false;
        lines += is_inside ? 1 : 0;
        if (line == "    // [own codec]") is_inside = true;
    }
    CHECK(lines == 10);
}

TEST_CASE("the errors that the document shows are those that a reader gets") {
    std::ifstream shown{"tests/docs/decode_errors.txt"};
    std::string payload;
    std::string message;
    int count = 0;
    while (std::getline(shown, payload) && std::getline(shown, message)) {
        CAPTURE(payload);
        const auto read = from_json<shop::order>(payload);
        REQUIRE(!read);
        CHECK("    " + read.error().message() == message);
        CHECK(read.error().message().size() <= 200);
        ++count;
    }
    CHECK(count == 7);
}

namespace {

/// Rows of the table of wire forms by the C++ type in their first cell.
std::map<std::string, std::vector<std::string>> rows_of_document() {
    std::ifstream page{"docs/messages.md"};
    std::map<std::string, std::vector<std::string>> rows;
    bool is_in_table = false;
    for (std::string line; std::getline(page, line);) {
        is_in_table = line.starts_with(is_in_table ? "|" : "| C++ | JSON | CBOR | MessagePack |");
        if (!is_in_table || !line.starts_with("| `")) continue;
        auto cells = documents::cells_of(line);
        for (auto& each : cells) each = documents::code_in(each);
        rows[cells[0]] = cells;
    }
    return rows;
}

std::string hex_of(const std::vector<std::byte>& bytes) {
    std::string text;
    for (const std::byte one : bytes) {
        text += "0123456789abcdef"[std::to_integer<unsigned>(one) >> 4];
        text += "0123456789abcdef"[std::to_integer<unsigned>(one) & 15];
    }
    return text;
}

/// Whole, or its beginning when the cell ends in dots.
void check_cell(const std::string& shown, const std::string& written) {
    if (shown.ends_with("..."))
        CHECK(written.starts_with(shown.substr(0, shown.size() - 3)));
    else
        CHECK(shown == written);
}

/// Compares one row with what the codecs write, and takes it away.
template <class T>
void check_row(std::map<std::string, std::vector<std::string>>& rows, const std::string& type,
               const T& value) {
    CAPTURE(type);
    const auto row = rows.extract(type);
    REQUIRE(!row.empty());
    REQUIRE(row.mapped().size() == 4);
    check_cell(row.mapped()[1], json_of(value));
    check_cell(row.mapped()[2], hex_of(waybill::encode(waybill::codecs::cbor(), value).value()));
    check_cell(row.mapped()[3], hex_of(waybill::encode(waybill::codecs::msgpack(), value).value()));
}

}  // namespace

namespace shop {

struct point {
    int x = 0;
    int y = 0;
};

}  // namespace shop

TEST_CASE("the table of wire forms shows what the codecs write") {
    using namespace std::chrono;
    auto rows = rows_of_document();
    check_row(rows, "bool", true);
    check_row(rows, "std::int32_t", std::int32_t{-300});
    check_row(rows, "float", 0.5F);
    check_row(rows, "double", 0.1);
    check_row(rows, "std::string", std::string{"hi"});
    check_row(rows, "std::vector<std::byte>", std::vector{std::byte{1}, std::byte{2}});
    check_row(rows, "enum class channel", shop::channel::web);
    check_row(rows, "std::optional<int>", std::optional<int>{});
    check_row(rows, "std::vector<int>", std::vector{1, 2});
    check_row(rows, "std::array<int, 2>", std::array{1, 2});
    check_row(rows, "std::map<std::string, int>", std::map<std::string, int>{{"a", 1}});
    check_row(rows, "struct point", shop::point{1, 2});
    check_row(rows, "std::variant<point, bool>", std::variant<shop::point, bool>{true});
    check_row(rows, "std::chrono::microseconds", 5us);
    check_row(rows, "std::chrono::sys_days", sys_days{});
    CHECK(rows.empty());
}

TEST_CASE("raw and text take what the document says") {
    const auto takes = [](const waybill::codec& with, const waybill::value_type& type) {
        return with->supports(type);
    };
    const auto& text = waybill::value_type_of<std::string>();
    const auto& bytes = waybill::value_type_of<std::vector<std::byte>>();
    CHECK(takes(waybill::codecs::raw(), text));
    CHECK(takes(waybill::codecs::raw(), bytes));
    CHECK(takes(waybill::codecs::text(), text));
    CHECK(!takes(waybill::codecs::text(), bytes));
    CHECK(!takes(waybill::codecs::raw(), waybill::value_type_of<shop::line>()));
}
