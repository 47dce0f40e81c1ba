// Times to live at the border of what a server can hold: 32 bits of milliseconds.
#include "rabbitmq_client.hpp"
#include "transport/rabbitmq/outgoing.hpp"
#include "transport/rabbitmq/reader.hpp"
#include <waybill/clock.hpp>
#include <waybill/rabbitmq.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mq_expiry_test {

using namespace std::chrono_literals;
using namespace waybill::rabbitmq;
using waybill::headers;
using waybill::test::mq_client;
using waybill::test::mq_rig;

struct deaf final : waybill::detail::consumer_listener {
    void ready() noexcept override {}
    void reconnected() noexcept override {}
};

/// A reader to which a server delivers what no publisher could send by it.
class rig {
public:
    rig() {
        reader_facts facts;
        facts.said = std::make_shared<const queue::data>(queue{"orders"}.said());
        facts.name = "orders";
        facts.channel = 2;
        reader_ = std::make_unique<reader>(std::move(facts), listener_, server_.time, [] {});
        std::expected<void, waybill::error> why;
        REQUIRE(reader_->open(*client_.operator->(), why));
        REQUIRE(why);
    }
    ~rig() { reader_->forget_listener(); }
    rig(const rig&) = delete;
    rig& operator=(const rig&) = delete;

    [[nodiscard]] std::int64_t expiry_of(const headers& with) {
        reader_->begins({2, "consumer", ++tag_, false, "", "orders", with.packed(), 0});
        reader_->arrived();
        reader_->hand_over();
        waybill::detail::received one;
        REQUIRE(reader_->take({&one, 1}) == 1);
        return one.expires_at_ms;
    }
    [[nodiscard]] std::int64_t now() const {
        return std::chrono::floor<std::chrono::milliseconds>(server_.time->wall()).count();
    }

private:
    mq_rig server_;
    mq_client client_{server_.time};
    deaf listener_;
    std::unique_ptr<reader> reader_;
    std::uint64_t tag_ = 0;
};

headers expiring(std::string_view after) {
    headers with;
    with.append(property::expiration, after);
    return with;
}

TEST_CASE("a message expires when it says so, up to what a server takes") {
    rig at;
    CHECK(at.expiry_of(expiring("1500")) == at.now() + 1500);
    CHECK(at.expiry_of(expiring("4294967295")) == at.now() + 4'294'967'295);
    CHECK(at.expiry_of({}) == 0);
}

TEST_CASE("an expiration that no server takes is none, with a time of sending or without") {
    rig at;
    for (const auto* span : {"4294967296", "9223372036854775807", "9223372036854775808",
                             "99999999999999999999", "-1", "", "soon"}) {
        CAPTURE(span);
        auto with = expiring(span);
        CHECK(at.expiry_of(with) == 0);
        with.append(property::timestamp, INT64_MAX / 2000 - 1);
        CHECK(at.expiry_of(with) == 0);
    }
}

/// "" where it says none.
std::string sent_expiration(std::chrono::nanoseconds time_to_live) {
    waybill::outgoing_view message;
    message.address = "orders";
    message.time_to_live = time_to_live;
    publish made;
    REQUIRE(fill_message(made, {"", "orders"}, message, 0ns, {}));
    const auto all = headers::borrow(made.view().packed_headers);
    return std::string{all.text(property::expiration).value_or("")};
}

TEST_CASE("a time to live that no server can hold is not sent, and never cut down to 32 bits") {
    CHECK(sent_expiration(1500ms) == "1500");
    CHECK(sent_expiration(4'294'967'295ms) == "4294967295");
    CHECK(sent_expiration(4'294'967'295ms + 1ns).empty());
    CHECK(sent_expiration(4'294'967'296ms + 1500ms).empty());
    CHECK(sent_expiration(std::chrono::nanoseconds::max()).empty());
}

}  // namespace mq_expiry_test
