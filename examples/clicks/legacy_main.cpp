/// `clicks_legacy` runs the service over a team's retry queue; `clicks_legacy team` makes what that
/// team has, on a server without it.
#include "counting_store.hpp"
#include "service.hpp"
#include "verbs.hpp"

#include <string_view>

namespace {

int set_up_team() {
    waybill::app app{"team", "0.1.0"};
    app.broker(clicks::with_team_topology(clicks::broker_url()));
    return clicks::once(std::move(app), [] { return std::expected<void, waybill::error>{}; });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view{argv[1]} == "team") return set_up_team();
    return waybill::run_main(
        [] {
            return clicks::make_legacy_app(clicks::broker_url(),
                                           std::make_shared<clicks::counting_store>());
        },
        argc, argv);
}
