#include "live/rig/plain_client.hpp"
#include "live/rig/server.hpp"
#include "live/rig/service.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace live;
using namespace std::chrono_literals;
using waybill::rabbitmq::queue;

namespace {

/// Each form in which the password can leak.
std::vector<std::string> forms() {
    const auto said = run_command("scripts/brokers/secret.sh forms");
    REQUIRE(said.code == 0);
    std::vector<std::string> all;
    std::istringstream lines{said.said};
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    REQUIRE(all.size() >= 4);
    return all;
}

bool leaks(const std::string& text) {
    static const auto all = forms();
    for (const auto& each : all) {
        if (text.find(each) != text.npos) return true;
    }
    return false;
}

/// All that a service says when it is asked, started, in trouble, and stopped.
std::string all_words(const std::string& url, const std::string& name) {
    service one{url};
    one.app().log_level(waybill::log_level::debug);
    one.subscribe(queue{name}, [](const call&, waybill::context&) { return waybill::retry(); })
        .max_attempts(1)
        .dead_letter(name + ".dead");
    auto words = one.app().describe() + one.app().describe_json();
    for (const auto& each : one.app().check()) words += each.message();
    try {
        one.start();
        plain_client client;
        client.delete_queue(name + ".dead");
        client.fill(name, 1);
        CHECK(eventually([&] { return one.health().state == waybill::health_state::degraded; }));
        words += one.health().reason;
        client.make_queue(name + ".dead");
        CHECK(eventually([&] { return client.ready(name + ".dead") == 1; }));
        CHECK(one.stop());
        // What was published carries nothing of it either.
        for (const auto& each : client.drain(name + ".dead")) {
            for (const auto& [header, value] : each.headers) words += header + value;
        }
    } catch (const std::runtime_error& why) {
        words += why.what();
    }
    return words + one.health().reason + one.log();
}

std::string with_port(std::string url, const std::string& port) {
    const auto begin = url.rfind(':') + 1;
    return url.replace(begin, url.rfind('/') - begin, port);
}

}  // namespace

TEST_CASE("no word of a service holds the password, whatever goes wrong") {
    const auto url = server_url();
    CHECK(leaks(url));
    const auto vhost = url.rfind('/');
    const std::string name = "secret.words";
    for (const auto& each :
         {url, url.substr(0, vhost) + "/nowhere", with_port(url, "1"), url + "?nonsense=1",
          with_port(url, "none"),
          url.substr(0, url.find('@')) + "x@127.0.0.1" + url.substr(url.rfind(':'))}) {
        const auto words = all_words(each, name);
        CHECK(words.size() > 100);
        CHECK_MESSAGE(!leaks(words), words);
    }
    CHECK(!leaks(log_since(0)));
}
