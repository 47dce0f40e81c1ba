/// How a file that is not valid is refused, by every command that reads one.
#pragma once

#include "scenario/read.hpp"

#include <vector>

namespace waybill::tool {

/// On standard output: a list for people, or the lines of a trace. Says the exit code.
int refuse(const std::vector<scenario::mistake>& mistakes, bool as_text);

}  // namespace waybill::tool
