#include <waybill/memory.hpp>
#include <waybill/testing.hpp>
#include <waybill/waybill.hpp>

#include <doctest/doctest.h>

#include <charconv>
#include <stdexcept>

using namespace std::chrono_literals;
using waybill::memory::queue;

namespace own {

struct seat {
    unsigned row = 0;
    std::string name;
    bool operator==(const seat&) const = default;
};
struct other {
    int id = 0;
};

/// No aggregate: nobody but a codec of its own can read it.
class picture {
public:
    picture() = default;
    explicit picture(std::size_t width) : width_(width) {}
    [[nodiscard]] std::size_t width() const { return width_; }

private:
    std::size_t width_ = 0;
};

}  // namespace own

template <>
struct waybill::message_traits<own::picture> {
    static constexpr bool is_opaque = true;
};

namespace own {

bool read_seat(std::string_view payload, seat& into) {
    if (payload.starts_with("throw")) throw std::runtime_error{"the reader is broken"};
    const char* const end = payload.data() + payload.size();
    const auto [at, failed] = std::from_chars(payload.data(), end, into.row);
    if (failed != std::errc{} || at == end || *at != ',') return false;
    into.name.assign(at + 1, end);
    return true;
}

bool write_seat(const seat& from, waybill::byte_buffer& out) {
    out.append(std::to_string(from.row) + ',');
    if (from.name == "throw") throw std::runtime_error{"the writer is broken"};
    out.append(from.name);
    return !from.name.empty();
}

waybill::codec csv() { return waybill::own_codec<seat>("csv", "text/csv", read_seat, write_seat); }

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span{text});
}

std::string text_of(const waybill::byte_buffer& from) {
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

template <class T>
std::string error_of(const std::expected<T, waybill::error>& result) {
    return result ? "done" : result.error().message();
}

}  // namespace own

using namespace own;

TEST_CASE("a codec of one's own has its name and reads and writes its type") {
    const auto with = csv();
    CHECK(with->name() == "csv");
    CHECK(with->content_type() == "text/csv");
    CHECK(waybill::decode<seat>(with, bytes_of("12,Ann")) == seat{12, "Ann"});
    waybill::byte_buffer out;
    const seat from{12, "Ann"};
    REQUIRE(with->encode(waybill::value_type_of<seat>(), &from, out));
    CHECK(text_of(out) == "12,Ann");
}

TEST_CASE("one pair of functions may serve several types, and take bytes") {
    const auto with = waybill::own_codec<seat, other>(
        "size", "text/plain",
        [](std::span<const std::byte> payload, auto& into) {
            if constexpr (requires { into.id; })
                into.id = static_cast<int>(payload.size());
            else
                into.row = static_cast<unsigned>(payload.size());
            return true;
        },
        [](const auto&, waybill::byte_buffer& out) {
            out.append("x");
            return true;
        });
    CHECK(waybill::decode<seat>(with, bytes_of("12345"))->row == 5);
    CHECK(waybill::decode<other>(with, bytes_of("123"))->id == 3);
    CHECK(waybill::encode(with, other{})->size() == 1);
}

TEST_CASE("a codec of one's own refuses another type") {
    const auto with = csv();
    CHECK(with->supports(waybill::value_type_of<seat>()));
    CHECK(!with->supports(waybill::value_type_of<other>()));
    CHECK(error_of(waybill::decode<other>(with, bytes_of("1"))) ==
          "payload: the codec \"csv\" does not know the type");
    CHECK(error_of(waybill::encode(with, other{})) ==
          "payload: the codec \"csv\" does not know the type");
}

TEST_CASE("what it answers is the error: false, or the text of a std::expected") {
    CHECK(error_of(waybill::decode<seat>(csv(), bytes_of("x"))) == "payload: the codec refused it");
    CHECK(error_of(waybill::encode(csv(), seat{1, ""})) == "payload: the codec refused it");
    const auto with = waybill::own_codec<seat>(
        "says", "text/plain",
        [](std::string_view payload, seat&) -> std::expected<void, std::string> {
            if (payload.empty()) return std::unexpected{"expected a row"};
            return {};
        },
        [](const seat& from, waybill::byte_buffer&) -> std::expected<void, const char*> {
            if (from.row == 0) return std::unexpected{"there is no row 0"};
            return {};
        });
    CHECK(error_of(waybill::decode<seat>(with, {})) == "payload: expected a row");
    CHECK(error_of(waybill::decode<seat>(with, bytes_of("1"))) == "done");
    CHECK(error_of(waybill::encode(with, seat{})) == "payload: there is no row 0");
    CHECK(error_of(waybill::encode(with, seat{1, ""})) == "done");
}

TEST_CASE("what a failed write appended is taken back, also when it threw") {
    waybill::byte_buffer out;
    out.append("before");
    const auto& about = waybill::value_type_of<seat>();
    const seat refused{7, ""};
    CHECK(!csv()->encode(about, &refused, out));
    CHECK(text_of(out) == "before");
    const seat broken{7, "throw"};
    CHECK_THROWS_AS((void)csv()->encode(about, &broken, out), std::runtime_error);
    CHECK(text_of(out) == "before");
}

namespace own {

waybill::reply<seat> move_up(const seat& from) { return seat{from.row + 1, from.name}; }

waybill::app box_office() {
    waybill::app app{"box-office", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    broker.subscribe(queue("seats"), move_up)
        .codec(csv())
        .reply_to("moved")
        .max_attempts(2)
        .dead_letter("dead");
    return app;
}

}  // namespace own

TEST_CASE("a subscription reads and replies in a codec of one's own") {
    waybill::test_app tb{box_office()};
    tb.publish("seats", seat{1, "Ann"});
    REQUIRE(tb.published("moved") == 1);
    CHECK(tb.published("moved")[0].text() == "2,Ann");
}

TEST_CASE("what the codec refuses is undecodable, what it throws is a handler's exception") {
    waybill::test_app tb{box_office()};
    tb.publish_raw("seats", "no seat");
    REQUIRE(tb.published("dead") == 1);
    CHECK(tb.published("dead")[0].with.text("waybill-dead-reason") == "decode");
    CHECK(tb.published("dead")[0].with.text("waybill-dead-error") ==
          "payload: the codec refused it");
    tb.publish_raw("seats", "throw");
    tb.advance(1h);
    REQUIRE(tb.published("dead") == 2);
    CHECK(tb.published("dead")[1].with.text("waybill-dead-reason") == "attempts");
    CHECK(tb.published("dead")[1].with.text("waybill-dead-error") ==
          "the codec threw: the reader is broken");
    CHECK(tb.published("dead")[1].with.text("waybill-dead-attempts") == "2");
    CHECK(tb.published("moved") == 0);
}

TEST_CASE("a handler that catches what the writer throws publishes nothing of it") {
    waybill::app app{"box-office", "1"};
    auto& broker = app.broker(waybill::memory::broker{});
    broker
        .subscribe(queue("seats"),
                   [](const seat&, waybill::out<seat> out) {
                       try {
                           out.publish(seat{1, "throw"});
                       } catch (const std::runtime_error&) {
                           out.publish(seat{2, "spare"});
                       }
                   })
        .codec(csv())
        .publish_to<seat>("moved");
    waybill::test_app tb{std::move(app)};
    tb.publish("seats", seat{1, "Ann"});
    REQUIRE(tb.published("moved") == 1);
    CHECK(tb.published("moved")[0].text() == "2,spare");
}

TEST_CASE("another type is refused at the start, with the type and the way out") {
    waybill::app app{"box-office", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(queue("others"), [](const other&) {})
        .codec(csv());
    const auto problems = app.check();
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].message() ==
          "subscription others: the codec csv cannot decode other. name a codec(...) that can, for "
          "example codecs::json() or codecs::cbor()");
}

TEST_CASE("a handler takes an opaque type where the codec is one's own") {
    std::size_t width = 0;
    waybill::app app{"gallery", "1"};
    app.broker(waybill::memory::broker{})
        .subscribe(queue("pictures"), [&width](const picture& seen) { width = seen.width(); })
        .codec(waybill::own_codec<picture>(
            "width", "image/x-width",
            [](std::string_view payload, picture& into) {
                into = picture{payload.size()};
                return true;
            },
            [](const picture& from, waybill::byte_buffer& out) {
                out.append(std::string(from.width(), 'x'));
                return true;
            }));
    waybill::test_app tb{std::move(app)};
    tb.publish("pictures", picture{3});
    CHECK(width == 3);
}

TEST_CASE("a codec that goes by the table meets no opaque type") {
    for (const auto& with : {waybill::codecs::json(), waybill::codecs::cbor(),
                             waybill::codecs::msgpack(), waybill::codecs::text()}) {
        CAPTURE(with->name());
        waybill::app app{"gallery", "1"};
        app.codec(with);
        app.broker(waybill::memory::broker{}).subscribe(queue("pictures"), [](const picture&) {});
        const auto problems = app.check();
        REQUIRE(problems.size() == 1);
        CHECK(problems[0].message() == "subscription pictures: the codec " +
                                           std::string{with->name()} +
                                           " cannot decode picture. name a codec(...) that can: "
                                           "own_codec<picture>(...)");
        CHECK(error_of(waybill::encode(with, picture{})) != "done");
    }
}
