#include "faults/rabbitmq/rig.hpp"

#include "live/rig/server.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace faults::test {
namespace {

std::string read_whole(const std::filesystem::path& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::filesystem::path new_folder() {
    auto name = (std::filesystem::temp_directory_path() / "waybill-faults.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no folder " + name};
    return name;
}

int count_of(std::string_view text, std::string_view what) {
    int count = 0;
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
    return count;
}

}  // namespace

service_process::service_process(wish what) : wish_{std::move(what)}, folder_{new_folder()} {}

service_process::~service_process() {
    process_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void service_process::launch(std::uint16_t port) {
    process_ = std::make_unique<waybill::test::child>(
        "faults_service",
        std::vector<std::string>{std::to_string(port), wish_.queue, wish_.type, wish_.does,
                                 std::to_string(wish_.cap), folder_.string()});
}

bool service_process::start(std::uint16_t port) {
    const auto before = count_of(log(), " started ");
    launch(port);
    return live::eventually([&] { return count_of(log(), " started ") > before; });
}

int service_process::stop() {
    process_->send(SIGTERM);
    return process_->wait();
}

std::string service_process::log() const { return read_whole(folder_ / "log"); }

std::map<std::string, std::vector<int>> service_process::runs() const {
    std::map<std::string, std::vector<int>> all;
    std::istringstream lines{read_whole(folder_ / "ran")};
    std::string payload;
    for (int attempt = 0; lines >> payload >> attempt;) all[payload].push_back(attempt);
    return all;
}

std::size_t service_process::resident() const {
    std::istringstream lines{read_whole("/proc/" + std::to_string(process_->process()) + "/statm")};
    std::size_t size = 0;
    std::size_t pages = 0;
    lines >> size >> pages;
    return pages * 4096;
}

void begin_story(live::plain_client& client, const std::string& queue) {
    client.delete_queue(queue);
    client.delete_queue(queue + ".dead");
    client.make_queue(queue + ".out");
}

account settle_accounts(const ends& all, int count) {
    account drawn;
    for (int each = 0; each < count; ++each) {
        const auto found = all.find(std::to_string(each));
        if (found == all.end()) {
            ++drawn.lost;
        } else {
            drawn.duplicates += found->second - 1;
        }
    }
    return drawn;
}

std::string in_words(const ends& all, int count) {
    const auto drawn = settle_accounts(all, count);
    std::string text =
        "lost " + std::to_string(drawn.lost) + ", duplicates " + std::to_string(drawn.duplicates);
    std::string twice;
    for (const auto& [payload, times] : all) {
        if (times > 1) twice += (twice.empty() ? "" : ", ") + payload;
    }
    return twice.empty() ? text : text + " (" + twice + ')';
}

ends acked(const service_process& by, int from) {
    ends all;
    for (const auto& [payload, attempts] : by.runs()) {
        for (const int attempt : attempts) {
            if (attempt >= from) ++all[payload];
        }
    }
    return all;
}

ends standing(std::vector<live::plain_message> there) {
    ends all;
    for (const auto& each : there) ++all[each.body];
    return all;
}

}  // namespace faults::test
