// The stories of docs/retries.md. scripts/pictures.py draws what this prints.
#include "dying_broker.hpp"
#include "story.hpp"
#include <waybill/waybill.hpp>

#include <functional>
#include <vector>

using namespace std::chrono_literals;
using pictures::story;
using waybill::outcome;
using waybill::memory::broker;
using waybill::memory::counting;
using waybill::memory::options;
using waybill::memory::server;

namespace {

using answers = std::vector<outcome>;

/// Neither counts nor delays, as classic queues and MQTT do: every retry is a copy.
constexpr options copies_only{.counts = counting::none, .delays = false};

/// Gives each message its answers in turn by the number of the delivery, the last one for ever.
auto answering(const answers& all) {
    return [all](std::span<const std::byte>, waybill::attempt number) {
        return all[std::min<std::size_t>(number, all.size()) - 1];
    };
}

/// One reader of "refunds", with a cap and a dead letter.
template <class Broker, class Handler>
waybill::app refunds(const Broker& at, const Handler& handler, std::int64_t cap = 3) {
    waybill::app app{"shop", "1"};
    app.broker(at)
        .subscribe(waybill::memory::queue("refunds"), handler)
        .name("process_refund")
        .max_attempts(cap)
        .dead_letter("refunds.dead");
    return app;
}

waybill::app refunds(const server& at, const answers& all) {
    return refunds(broker{at}, answering(all));
}

constexpr auto two = "refunds, process_refund";
constexpr auto three = "refunds, process_refund, refunds.dead";

void first_delivery() {
    const server at;
    story told{at, "first-delivery", "A message is delivered and acked", two};
    told.run(refunds(at, {waybill::ack()}));
    told.publish("refunds", "refund 7");
}

void retry() {
    const server at;
    story told{at, "retry", "retry() on a broker that counts", two};
    told.run(refunds(at, {waybill::retry(), waybill::ack()}));
    told.publish("refunds", "refund 7");
}

void retry_after() {
    const server at;
    story told{at, "retry-after", "retry_after(30s): the message waits, and nothing else does",
               two};
    const auto handler = [](std::span<const std::byte> payload, waybill::attempt number) {
        const bool waits = payload.back() == std::byte{'7'} && number == 1;
        return waits ? waybill::retry_after(30s) : waybill::ack();
    };
    told.run(refunds(broker{at}, handler));
    told.publish("refunds", "refund 7");
    told.publish("refunds", "refund 8");
    told.wait(30s);
}

void dead_letter() {
    const server at;
    story told{at, "dead-letter", "The third of three attempts ends in the dead letter", three};
    told.run(refunds(at, {waybill::retry()}));
    told.publish("refunds", "refund 7");
}

void moved_back() {
    const server at;
    story told{at, "moved-back", "A dead letter that is moved back by hand, with a cap of two",
               "refunds, process_refund, refunds.dead, review"};
    auto app = refunds(broker{at}, answering({waybill::retry()}), 2);
    app.broker(broker{at})
        .subscribe(waybill::memory::queue("refunds.dead"), answering({waybill::ack()}))
        .name("review");
    told.run(std::move(app));
    told.publish("refunds", "refund 7");
    told.wait(1min);
    told.move_back("refunds.dead", "refunds");
    told.wait(1s);
}

void copies() {
    const server at{copies_only};
    story told{at, "copies", "The same cap where the broker does not count: retries are copies",
               three};
    told.run(refunds(at, {waybill::retry(), waybill::retry_after(30s), waybill::retry()}));
    told.publish("refunds", "refund 7");
    told.wait(30s);
}

void kill_between() {
    auto how = copies_only;
    how.outlives_crash = true;
    const server at{how};
    story told{at, "kill-between", "A kill between the copy and the settlement leaves both", two};
    told.run(refunds(pictures::dying_broker{at, [&] { told.die_after_publish(); }},
                     answering({waybill::retry(), waybill::ack()})));
    told.publish("refunds", "refund 7");
}

void crash_loop() {
    const server at{options{.outlives_crash = true}};
    story told{at, "crash-loop", "A message that kills the process is ended by its count", three};
    told.run(refunds(broker{at}, [&](std::span<const std::byte>) { told.die(); }));
    told.publish("refunds", "refund 7");
}

void foreign_copy() {
    const server at{copies_only};
    story told{at, "foreign-copy", "Two readers of one topic, where retries are copies",
               "billing, orders, shipping, shipping.dead"};
    const auto both = [](const char* name, const auto& handler, waybill::broker& at) {
        at.subscribe(waybill::memory::fan_out("orders"), handler)
            .name(name)
            .max_attempts(3)
            .dead_letter(std::string{name} + ".dead");
    };
    waybill::app app{"shop", "1"};
    auto& topic = app.broker(broker{at});
    both("billing", answering({waybill::retry(), waybill::ack()}), topic);
    both("shipping", answering({waybill::ack(), waybill::retry()}), topic);
    told.run(std::move(app));
    told.publish("orders", "order 7");
}

}  // namespace

int main() {
    for (const auto tell : {first_delivery, retry, retry_after, dead_letter, moved_back, copies,
                            kill_between, crash_loop, foreign_copy}) {
        tell();
    }
}
