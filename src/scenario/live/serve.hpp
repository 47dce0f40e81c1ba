/// A live service's own process: what the runner starts, and kills.
#pragma once

namespace waybill::scenario {

/// Serves the scenario that comes over the second socket until it is told to stop, and tells what
/// happens over the first. Says how the process is to exit.
int serve(int events, int commands);

}  // namespace waybill::scenario
