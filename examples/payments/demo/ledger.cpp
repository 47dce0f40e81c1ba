#include "demo/ledger.hpp"

#include <fmt/format.h>

namespace demo {

std::string ledger::text() const {
    auto line = fmt::format("{} in = {} charged + {} declined + {} dead + {} undecodable", in,
                            charged, declined, dead, undecodable);
    if (waiting != 0) line += fmt::format(" + {} waiting", waiting);
    line += fmt::format(", lost {}", lost);
    if (surplus != 0) line += fmt::format(", {} too many", surplus);
    return line;
}

}  // namespace demo
