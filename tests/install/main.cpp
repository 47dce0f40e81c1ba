#include "parcels.hpp"

#include <future>
#include <iostream>

int main() {
    const waybill::memory::server server;
    std::promise<unsigned> sent_id;
    auto app = parcels(server, [&sent_id](unsigned id) { sent_id.set_value(id); });
    if (const auto started = app.start(); !started) {
        for (const auto& problem : started.error()) std::cerr << problem << '\n';
        return 1;
    }
    if (!server.publish("parcels", R"({"id": 7, "grams": 300})")) return 1;
    const unsigned id = sent_id.get_future().get();
    std::cout << "parcel " << id << " was sent\n";
    return app.stop() && id == 7 ? 0 : 1;
}
