/// A courier whose process somebody kills: `make demo-kill`. Nobody is at home at the first
/// attempt, so each parcel comes again after 2 s. What it does stands in a journal, a line each,
/// which a kill of the process does not take back.
#include <waybill/rabbitmq.hpp>
#include <waybill/waybill.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

using namespace std::chrono_literals;

namespace courier {

struct parcel {
    std::uint64_t number;
    std::string addressee;
};

class journal {
public:
    explicit journal(const char* file) : file_{std::fopen(file, "a"), &std::fclose} {
        if (file_) std::setvbuf(file_.get(), nullptr, _IOLBF, BUFSIZ);
    }
    void write(std::string_view what, const parcel& about, std::string_view id) const {
        if (!file_) return;
        std::fprintf(file_.get(), "%.*s %llu %s %.*s\n", static_cast<int>(what.size()), what.data(),
                     static_cast<unsigned long long>(about.number), about.addressee.c_str(),
                     static_cast<int>(id.size()), id.data());
    }

private:
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

waybill::outcome deliver(const parcel& what, waybill::attempt number, const waybill::headers& label,
                         waybill::state<journal> book) {
    const auto id = label.text("waybill-id").value_or("none");
    std::this_thread::sleep_for(40ms);  // the stairs
    if (number == 1) {
        book->write("tried", what, id);
        return waybill::retry_after(2s);
    }
    book->write("delivered", what, id);
    return waybill::ack();
}

const char* environment(const char* name, const char* otherwise) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : otherwise;
}

waybill::rabbitmq::broker server() {
    return waybill::rabbitmq::broker{environment("COURIER_BROKER", "amqp://localhost")}.declare(
        waybill::rabbitmq::queue("parcels").quorum());
}

waybill::app make_app() {
    waybill::app app{"courier", "0.1.0"};
    app.on_startup([] { return journal{environment("COURIER_JOURNAL", "/dev/null")}; });
    app.broker(server())
        .subscribe(waybill::rabbitmq::queue("parcels").quorum(), deliver)
        .max_attempts(5)
        .dead_letter("parcels.undeliverable");
    return app;
}

constexpr std::array names{"Ada",    "Alan",   "Barbara",  "Bjarne",  "Brian",
                           "Dennis", "Donald", "Edsger",   "Frances", "Grace",
                           "Hedy",   "Joan",   "John",     "Karen",   "Katherine",
                           "Ken",    "Leslie", "Margaret", "Niklaus", "Radia"};

int publish() {
    waybill::app app{"warehouse", "0.1.0"};
    auto sends = app.broker(server()).publisher();
    app.log_level(waybill::log_level::warning);
    if (!app.start()) return 1;
    std::uint64_t number = 0;
    for (const auto* name : names) {
        // Set by the publisher, so that whoever gets a parcel twice finds the same id on both.
        waybill::headers label;
        label.set("waybill-id", "parcel-" + std::to_string(++number));
        if (!sends.publish("parcels", parcel{number, name}, label)) return 1;
    }
    return app.stop() ? 0 : 1;
}

}  // namespace courier

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view{argv[1]} == "publish") return courier::publish();
    return waybill::run_main(courier::make_app, argc, argv);
}
