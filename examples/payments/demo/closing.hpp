/// What the demo says when the messages have ended.
#pragma once

#include "demo/screen.hpp"
#include "demo/show.hpp"

#include <string>

namespace demo {

void say_opening(screen& on, const std::string& input, std::size_t lines, pace at);
void say_ledger(screen& on, const show_result& of);
/// Headers and payload of one dead letter, whole.
void say_dead_letter(screen& on, const dead_arrived& letter);
void say_next(screen& on);

}  // namespace demo
