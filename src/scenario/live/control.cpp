#include "scenario/live/control.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <vector>

extern char** environ;

namespace waybill::scenario {
namespace {

std::string run(const std::string& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (auto& each : arguments) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    pid_t id = -1;
    if (::posix_spawnp(&id, program.c_str(), nullptr, nullptr, pointers.data(), environ) != 0) {
        return "--control: " + program + " cannot be run";
    }
    int status = 0;
    if (::waitpid(id, &status, 0) < 0 || status != 0) {
        return "--control: " + program + ' ' + arguments.at(1) + " failed";
    }
    return {};
}

}  // namespace

server_control control_by(const std::string& program) {
    return {[program] { return run(program, {"restart"}); },
            [program](const std::string& at) { return run(program, {"delete", at}); }};
}

}  // namespace waybill::scenario
