/// Messages that are handled the first time they come.
#include "exact/cases.hpp"
#include "exact/driven_app.hpp"

namespace bench {
namespace {

tally seen;

void take_raw(payload bytes) { seen.add(bytes.size()); }
void take_json(const payment& received) { seen.add(received.order + received.cents); }
void take_purchase(const purchase& received) { seen.add(received.items.size()); }
void take_ends(const purchase_ends& received) {
    seen.add(static_cast<std::uint64_t>(received.total));
}
waybill::reply<payment> answer(const payment& received) {
    seen.add(received.cents);
    return received;
}

void measure_publish(std::size_t messages, meter& reads) {
    driven_app app;
    app.subscribe_orders(take_raw);
    app.start();
    const auto rounds = [&](bool measured) {
        for (std::size_t done = 0; done < messages; done += round_length) {
            app.publish(small, 1);  // wakes the lane; the others find it awake
            if (measured) reads.begin();
            app.publish(small, round_length);
            if (measured) reads.end();
            app.drain();
        }
    };
    rounds(false);
    rounds(true);
}

void measure_drain(driven_app& app, payload bytes, std::size_t messages, meter& reads) {
    app.start();
    const auto rounds = [&](bool measured) {
        for (std::size_t done = 0; done < messages; done += round_length) {
            app.publish(bytes, round_length);
            if (measured) reads.begin();
            app.drain();
            if (measured) reads.end();
            app.forget();
        }
    };
    rounds(false);
    seen = {};
    rounds(true);
    seen.expect(messages);
}

template <class Handler>
auto draining(Handler handler, payload bytes) {
    return [=](std::size_t messages, meter& reads) {
        driven_app app;
        app.subscribe_orders(handler);
        measure_drain(app, bytes, messages, reads);
    };
}

/// A purchase of `size` bytes as JSON.
template <class Handler>
auto draining_large(Handler handler, const purchase& sample, std::size_t size) {
    return [=](std::size_t messages, meter& reads) {
        const auto bytes = encoded(waybill::codecs::json(), sample);
        expect_size(bytes.bytes(), size);
        draining(handler, bytes.bytes())(messages, reads);
    };
}

/// Decode, encode, publish, settle; nobody reads the reply, and what is kept is thrown away between
/// the rounds.
void measure_reply(std::size_t messages, meter& reads) {
    driven_app app;
    app.subscribe_orders(answer).reply_to("payments.replies");
    measure_drain(app, small, messages, reads);
}

}  // namespace

void add_good_path_cases(case_table& cases) {
    cases["memory.publish"] = measure_publish;
    cases["memory.raw"] = draining(take_raw, small);
    cases["memory.json_28"] = draining(take_json, small);
    cases["memory.json_1k"] = draining_large(take_purchase, make_purchase(), 980);
    cases["memory.json_1k_two_fields"] = draining_large(take_ends, make_purchase(50), 1040);
    cases["memory.reply"] = measure_reply;
}

}  // namespace bench
